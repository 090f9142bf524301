#include "cli/screen.h"

#include "basic/clock.h"
#include "basic/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static const char enter_sequence[] = "\033[?1049h\033[?25l\033[H\033[2J";
static const char leave_sequence[] = "\033[?25h\033[?1049l";

/*
 * Waits until the terminal accepts more. False: the time is up; without a limit, a signal arrived.
 */
static bool wait_for_room(const struct screen *screen, int timeout_ms)
{
	int signals = timeout_ms < 0 ? screen->signals.ready : -1;
	struct pollfd fds[] = { { .fd = screen->out, .events = POLLOUT },
				{ .fd = signals, .events = POLLIN } };
	int n = poll(fds, ARRAY_SIZE(fds), timeout_ms);

	return n < 0 ? errno == EINTR : n > 0 && !fds[1].revents;
}

/* -EAGAIN: incomplete, and the content of the screen is unknown. */
static int put(struct screen *screen, const char *text, size_t length, int timeout_ms)
{
	while (length) {
		ssize_t n = write(screen->out, text, length);

		if (n < 0 && errno == EAGAIN && !wait_for_room(screen, timeout_ms)) {
			screen->torn = true;
			return -EAGAIN;
		}
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		text += MAX(n, 0);
		length -= (size_t)MAX(n, 0);
	}
	return 0;
}

/*
 * A slow terminal gets fewer frames: a frame is skipped if the previous one has not been sent
 * completely.
 */
static bool is_ready(const struct screen *screen)
{
	struct pollfd out = { .fd = screen->out, .events = POLLOUT };
	int queued = 0;

	if (poll(&out, 1, 0) != 1)
		return false;
	return ioctl(screen->out, TIOCOUTQ, &queued) < 0 || queued == 0;
}

static void read_size(struct screen *screen)
{
	struct winsize size;

	screen->rows = 24;
	screen->columns = 80;
	if (ioctl(screen->fd, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
		screen->rows = size.ws_row;
		screen->columns = size.ws_col;
	}
}

/* Disables echo, so that typed keys do not disturb the table; Ctrl-C and Ctrl-Z still work. */
static int set_up_terminal(struct screen *screen)
{
	struct termios raw;
	int r;

	raw = screen->before;
	raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
	if (tcsetattr(screen->fd, TCSADRAIN, &raw) < 0)
		return -errno;
	screen->entered = true;
	buf_reset(&screen->last);
	read_size(screen);
	r = put(screen, enter_sequence, sizeof(enter_sequence) - 1, -1);
	return r == -EAGAIN ? 0 : r;
}

static void restore_terminal(struct screen *screen)
{
	if (!screen->entered)
		return;
	screen->entered = false;
	(void)!put(screen, leave_sequence, sizeof(leave_sequence) - 1, 1000);
	if (terminal_is_foreground(screen->fd))
		tcsetattr(screen->fd, TCSAFLUSH, &screen->before);
}

int screen_enter(struct screen *screen, int fd)
{
	int own, r;

	*screen = (struct screen){ .fd = fd, .out = fd, .signals = { -1, -1 } };
	if (tcgetattr(fd, &screen->before) < 0)
		return -errno;
	r = terminal_signals_open(&screen->signals, NULL);
	if (r < 0)
		return r;
	own = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (own >= 0)
		screen->out = own;
	return set_up_terminal(screen);
}

void screen_leave(struct screen *screen)
{
	restore_terminal(screen);
	terminal_signals_close(&screen->signals);
	if (screen->out != screen->fd)
		close(screen->out);
	screen->out = screen->fd;
	buf_done(&screen->last);
}

/* Length of a colour sequence at the start of the text, which has no width. 0: none. */
static size_t tint_length(const char *text, size_t length)
{
	const char *end = length && *text == '\033' ? memchr(text, 'm', length) : NULL;

	return end ? (size_t)(end - text) + 1 : 0;
}

/* Cuts a line to the width of the terminal: a longer one would wrap and disturb the layout. */
static void cut_line(struct buf *out, const char *line, size_t length, size_t columns)
{
	while (length) {
		size_t run = tint_length(line, length), fit = run;

		if (run == 0) {
			const char *next = memchr(line + 1, '\033', length - 1);

			run = next ? (size_t)(next - line) : length;
			fit = text_fit(line, run, columns);
			columns = fit < run ? 0 : columns - text_width(line, fit);
		}
		buf_add(out, line, fit);
		line += run;
		length -= run;
	}
	buf_putc(out, '\n');
}

/* Keeps the lines that fit; if some do not, the last line has their number. */
static void cut_frame(const struct screen *screen, const struct buf *frame, struct buf *ret)
{
	const char *text = buf_text(frame);
	unsigned lines = 0, shown;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	shown = lines > screen->rows ? screen->rows - 1 : lines;
	for (unsigned i = 0; i < shown; i++) {
		size_t length = strcspn(text, "\n");

		cut_line(ret, text, length, screen->columns);
		text += length + 1;
	}
	if (shown < lines) {
		char note[64];
		int length = snprintf(note, sizeof(note), "+%u lines: the terminal is too small",
				      lines - shown);

		cut_line(ret, note, (size_t)length, screen->columns);
	}
}

/* Returns the line at *text and advances; "" at the end. */
static const char *next_line(const char **text, size_t *ret_length)
{
	const char *line = *text;

	*ret_length = strcspn(line, "\n");
	*text += *ret_length;
	*text += **text == '\n';
	return line;
}

int screen_draw(struct screen *screen, const struct buf *frame)
{
	CLEANUP_BUF struct buf cut = { 0 }, out = { 0 };
	const char *new_text, *old_text;
	int r;

	if (!is_ready(screen))
		return 0;
	if (screen->torn) {
		buf_reset(&screen->last);
		buf_puts(&out, "\033[2J");
	}
	cut_frame(screen, frame, &cut);
	new_text = buf_text(&cut);
	old_text = buf_text(&screen->last);
	for (unsigned row = 1; *new_text || *old_text; row++) {
		size_t new_length, old_length;
		const char *line = next_line(&new_text, &new_length);
		const char *old = next_line(&old_text, &old_length);

		if (new_length == old_length && memcmp(line, old, new_length) == 0)
			continue;
		buf_printf(&out, "\033[%u;1H%.*s\033[K", row, (int)new_length, line);
	}
	if (out.failed || cut.failed)
		return -ENOMEM;
	screen->torn = false;
	r = put(screen, buf_text(&out), out.length, -1);
	buf_done(&screen->last);
	screen->last = cut;
	cut = (struct buf){ 0 };
	return r == -EAGAIN ? 0 : r;
}

/* Ctrl-Z, and its end. */
static enum wake suspend(struct screen *screen, int *ret_signal)
{
	int signal;

	restore_terminal(screen);
	signal = terminal_signals_stop();
	if (signal)
		*ret_signal = signal;
	return signal || set_up_terminal(screen) < 0 ? WAKE_QUIT : WAKE_RESIZE;
}

static enum wake take_signal(struct screen *screen, int *ret_signal)
{
	switch (*ret_signal) {
	case SIGWINCH:
		read_size(screen);
		screen->torn = true;
		return WAKE_RESIZE;
	case SIGTSTP: return suspend(screen, ret_signal);
	case SIGCONT: return set_up_terminal(screen) < 0 ? WAKE_QUIT : WAKE_RESIZE;
	default: return WAKE_QUIT;
	}
}

enum wake screen_wait(struct screen *screen, int64_t until_ns, int *ret_signal)
{
	for (;;) {
		int64_t left = until_ns - clock_now(CLOCK_MONOTONIC);
		struct pollfd poll_fd = { .fd = screen->signals.ready, .events = POLLIN };
		struct timespec timeout = clock_timespec(MAX(left, 0));

		if (ppoll(&poll_fd, 1, &timeout, NULL) == 0)
			return WAKE_TIME;
		*ret_signal = terminal_signals_next(&screen->signals);
		if (*ret_signal)
			return take_signal(screen, ret_signal);
	}
}
