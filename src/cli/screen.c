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
#include <sys/signalfd.h>

static const char enter_sequence[] = "\033[?1049h\033[?25l\033[H\033[2J";
static const char leave_sequence[] = "\033[?25h\033[?1049l";

/* Until the terminal takes more. False: a signal came, or it is not worth the wait. */
static bool wait_for_room(const struct screen *screen, int patience_ms)
{
	struct pollfd fds[] = { { .fd = screen->out, .events = POLLOUT },
				{ .fd = screen->signals, .events = POLLIN } };
	int n = poll(fds, ARRAY_SIZE(fds), patience_ms);

	return n < 0 ? errno == EINTR : n > 0 && !fds[1].revents;
}

/* -EAGAIN: not all of it, and the content of the screen is unknown. */
static int put(struct screen *screen, const char *text, size_t length, int patience_ms)
{
	while (length) {
		ssize_t n = write(screen->out, text, length);

		if (n < 0 && errno == EAGAIN && !wait_for_room(screen, patience_ms)) {
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
 * A terminal that is slow gets fewer frames: one that would have to queue behind the
 * last is left out.
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

/* Typed keys are not shown amid the table; Ctrl-C and Ctrl-Z stay what they are. */
static int take_terminal(struct screen *screen)
{
	struct termios raw;
	int r;

	if (tcgetattr(screen->fd, &screen->before) < 0)
		return -errno;
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

static void give_terminal_back(struct screen *screen)
{
	if (!screen->entered)
		return;
	screen->entered = false;
	(void)!put(screen, leave_sequence, sizeof(leave_sequence) - 1, 1000);
	tcsetattr(screen->fd, TCSAFLUSH, &screen->before);
}

int screen_enter(struct screen *screen, int fd)
{
	sigset_t set;
	int own;

	*screen = (struct screen){ .fd = fd, .out = fd, .signals = -1 };
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	screen->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (screen->signals < 0)
		return -errno;
	own = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (own >= 0)
		screen->out = own;
	return take_terminal(screen);
}

void screen_leave(struct screen *screen)
{
	give_terminal_back(screen);
	if (screen->signals >= 0)
		close(screen->signals);
	screen->signals = -1;
	if (screen->out != screen->fd)
		close(screen->out);
	screen->out = screen->fd;
	buf_done(&screen->last);
}

/* Length of a tint at the start of the text: it takes no room. 0: there is none. */
static size_t tint_length(const char *text, size_t length)
{
	const char *end = length && *text == '\033' ? memchr(text, 'm', length) : NULL;

	return end ? (size_t)(end - text) + 1 : 0;
}

/* As much of a line as the terminal is wide: a longer one would wrap and tear the picture. */
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

/* The lines that fit; if they do not, the last one says how many are missing. */
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

/* The line at *text, which is moved behind it; "" when there are no more. */
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

/* Stopped like any other program, with the terminal as it was; then on again. */
static int suspend(struct screen *screen)
{
	give_terminal_back(screen);
	raise(SIGSTOP);
	return take_terminal(screen);
}

enum wake screen_wait(struct screen *screen, int64_t until_ns, int *ret_signal)
{
	for (;;) {
		int64_t left = until_ns - clock_now(CLOCK_MONOTONIC);
		struct pollfd poll_fd = { .fd = screen->signals, .events = POLLIN };
		struct timespec timeout = clock_timespec(MAX(left, 0));
		struct signalfd_siginfo info;

		if (ppoll(&poll_fd, 1, &timeout, NULL) == 0)
			return WAKE_TIME;
		if (read(screen->signals, &info, sizeof(info)) != sizeof(info))
			continue;
		*ret_signal = (int)info.ssi_signo;
		if (info.ssi_signo == SIGWINCH) {
			read_size(screen);
			screen->torn = true;
			return WAKE_RESIZE;
		}
		if (info.ssi_signo != SIGTSTP)
			return WAKE_QUIT;
		if (suspend(screen) < 0)
			return WAKE_QUIT;
		return WAKE_RESIZE;
	}
}
