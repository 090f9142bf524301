#include "tui/terminal.h"

#include "basic/clock.h"
#include "tui/frame_writer.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <term.h>
#include <termios.h>

static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };

/* The state that the handler of fatal signals restores the terminal from. */
static struct {
	volatile sig_atomic_t active; /* the terminal is in full-screen mode */
	struct termios before;
	char text[128]; /* escape sequences to send */
	size_t length;
} restore;

/* text: result of tigetstr(), which is NULL or -1 if the terminal does not have the capability. */
static void restore_add(const char *text)
{
	size_t length;

	if (!text || text == (const char *)-1)
		return;
	length = strlen(text);
	if (restore.length + length > sizeof(restore.text))
		return;
	memcpy(restore.text + restore.length, text, length);
	restore.length += length;
}

/* Async-signal-safe. SA_RESETHAND: raise() then ends the process with the default action. */
static void on_crash(int signal)
{
	if (restore.active) {
		restore.active = 0;
		/* A system call, since write() is ours (frame_writer.c) and may buffer. */
		syscall(SYS_write, STDOUT_FILENO, restore.text, restore.length);
		tcsetattr(STDIN_FILENO, TCSANOW, &restore.before);
	}
	raise(signal);
}

/* Handlers run on an alternate stack, since the signal may be due to a stack overflow. */
static void prepare_restore(void)
{
	static char stack[32768];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_ONSTACK };

	sigaltstack(&own, NULL);
	restore.length = 0;
	restore_add("\033[?1006l\033[?1002l\033[?1000l"); /* mouse */
	restore_add(tigetstr("sgr0"));
	restore_add(tigetstr("cnorm"));
	restore_add(tigetstr("rmkx"));
	restore_add(tigetstr("rmcup"));
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		sigaction(fatal_signals[i], &action, NULL);
}

/*
 * Async-signal-safe. The shell has the terminal, with modes of its own, but it still shows our
 * screen: Ctrl-Z has stopped our parent process while we set a mode.
 */
static void leave_to_shell(void)
{
	if (restore.active)
		frame_writer_write_now(restore.text, restore.length);
	restore.active = 0;
}

int terminal_block_signals(struct terminal *terminal)
{
	*terminal = (struct terminal){ 0 };
	signal(SIGPIPE, SIG_IGN);
	return terminal_signals_open(&terminal->signals, leave_to_shell);
}

/*
 * Terminals with 24-bit colour set COLORTERM and keep TERM=xterm-256color, while ncurses only looks
 * at TERM. terminfo has 24-bit colour in a second entry, xterm-direct. If that entry is not
 * installed, 256 colours are used. Their definitions are not changed, since the terminal would keep
 * the change after we have exited.
 */
static bool start_direct(void)
{
	const char *colors = getenv("COLORTERM"), *term = getenv("TERM");
	char name[64];

	if (!term || !colors || (strcmp(colors, "truecolor") != 0 && strcmp(colors, "24bit") != 0))
		return false;
	snprintf(name, sizeof(name), "%.*s-direct", (int)strcspn(term, "-"), term);
	return newterm(name, stdout, stdin);
}

static void not_called(int signal)
{
	(void)signal;
}

/*
 * Signals are blocked and read from a descriptor, and curses must leave them alone. It takes over
 * those with the default action only; of SIGTSTP it would even discard a pending one, since it
 * ignores that signal while it draws.
 */
static bool start_curses(void)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	const struct sigaction keep_out = { .sa_handler = not_called };
	struct sigaction before[ARRAY_SIZE(taken)];
	bool started;

	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		sigaction(taken[i], &keep_out, &before[i]);
	/*
	 * A TERM that terminfo does not know is most likely a new terminal, and these are
	 * compatible with xterm.
	 */
	started = start_direct() || newterm(NULL, stdout, stdin) ||
		  newterm("xterm-256color", stdout, stdin) || newterm("xterm", stdout, stdin);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		sigaction(taken[i], &before[i], NULL);
	return started;
}

/* Home and End: terminals with the same TERM send different sequences. */
static void define_keys(void)
{
	static const struct {
		const char *sequence;
		int key;
	} others[] = {
		{ "\033[1~", KEY_HOME }, { "\033[7~", KEY_HOME }, { "\033[H", KEY_HOME },
		{ "\033OH", KEY_HOME },	 { "\033[4~", KEY_END },  { "\033[8~", KEY_END },
		{ "\033[F", KEY_END },	 { "\033OF", KEY_END },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		define_key(others[i].sequence, others[i].key);
}

static void follow_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

int terminal_enter(struct terminal *terminal, bool color)
{
	if (tcgetattr(STDIN_FILENO, &restore.before) < 0)
		return -errno;
	if (!start_curses())
		return -ENOTTY;
	follow_size(); /* a SIGWINCH since curses asked for the size may have been discarded */
	frame_writer_open();
	prepare_restore();
	restore.active = 1;
	cbreak();
	noecho();
	nonl();
	typeahead(-1); /* do not interrupt drawing when a key is pressed */
	curs_set(0);
	if (color && has_colors()) {
		start_color();
		use_default_colors();
		terminal->color = true;
	}
	return 0;
}

void terminal_listen(bool mouse)
{
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	define_keys();
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	if (mouse)
		terminal_set_mouse(true);
}

void terminal_set_mouse(bool ours)
{
	mousemask(ours ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
	mouseinterval(0); /* report a press at once, without waiting for a double click */
}

enum { LEAVE_TIMEOUT_MS = 2000, ESCAPE = 27 };

/* Resets the style first: our frames changed it, and curses does not know that. */
static void leave_screen(int stop_fd, int timeout_ms)
{
	const char *reset = tigetstr("sgr0");

	frame_writer_begin(stop_fd, timeout_ms);
	if (reset && reset != (const char *)-1)
		frame_writer_add(reset, strlen(reset));
	endwin();
	frame_writer_end();
}

/*
 * For the shell. Not by endwin(), which would set modes even if the shell has the terminal already:
 * that stops the process with SIGTTOU before its last output.
 */
static void give_terminal(void)
{
	restore.active = 0;
	frame_writer_begin(-1, LEAVE_TIMEOUT_MS);
	frame_writer_add(restore.text, restore.length);
	frame_writer_end();
	if (terminal_is_foreground(STDIN_FILENO))
		tcsetattr(STDIN_FILENO, TCSADRAIN, &restore.before);
}

void terminal_leave(struct terminal *terminal)
{
	if (restore.active && !terminal_is_foreground(STDIN_FILENO)) {
		give_terminal();
	} else if (restore.active) {
		/* After a signal, output that was stopped with Ctrl-S may never continue. */
		if (terminal->ended_by)
			leave_screen(-1, LEAVE_TIMEOUT_MS);
		else
			leave_screen(terminal->signals.ready, -1);
		restore.active = 0;
	}
	frame_writer_close();
	terminal_signals_close(&terminal->signals);
	signal(SIGPIPE, SIG_DFL);
	terminal_signals_unblock();
}

/* The shell may have changed the terminal: curses sets it up again with the next frame. */
static void take_terminal(void)
{
	leave_screen(-1, LEAVE_TIMEOUT_MS);
	restore.active = 1;
	follow_size();
}

static enum event suspend(struct terminal *terminal)
{
	give_terminal();
	terminal->ended_by = terminal_signals_stop();
	if (terminal->ended_by)
		return EVENT_END;
	take_terminal();
	return EVENT_RESIZE;
}

static enum event take_signal(struct terminal *terminal)
{
	int signal = terminal_signals_next(&terminal->signals);

	switch (signal) {
	case 0: return EVENT_TIME;
	case SIGCONT: take_terminal(); return EVENT_RESIZE; /* another process had stopped us */
	case SIGTSTP: return suspend(terminal);
	case SIGWINCH: follow_size(); return EVENT_RESIZE;
	default: terminal->ended_by = signal; return EVENT_END;
	}
}

enum event terminal_wait(struct terminal *terminal, int fd, bool full, int64_t until_ns)
{
	int64_t left = until_ns - clock_now(CLOCK_MONOTONIC);
	struct timespec timeout = clock_timespec(MAX(left, 0));
	struct pollfd fds[] = {
		{ .fd = terminal->signals.ready, .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
		{ .fd = full ? STDOUT_FILENO : -1, .events = POLLOUT },
	};

	if (ppoll(fds, ARRAY_SIZE(fds), &timeout, NULL) <= 0)
		return EVENT_TIME;
	if (fds[0].revents)
		return take_signal(terminal);
	if ((fds[1].revents | fds[3].revents) & (POLLHUP | POLLERR | POLLNVAL))
		return EVENT_END;
	if (fds[1].revents & POLLIN)
		return EVENT_KEY;
	return fds[2].revents ? EVENT_FEED : EVENT_READY;
}

/* Is it a further byte of an escape sequence? The last byte is in the range @ to ~. */
static bool continues_sequence(struct terminal *terminal, int key)
{
	bool within = terminal->in_sequence && key >= ' ' && key < 127;

	terminal->in_sequence = within && key < '@';
	return within;
}

/* After an escape: is it an escape sequence that curses did not recognize as a key? */
static bool begins_sequence(struct terminal *terminal)
{
	int key = getch();

	if (key == '[')
		terminal->in_sequence = true;
	else if (key == 'O')
		(void)getch();
	else if (key != ERR)
		ungetch(key);
	return key == '[' || key == 'O';
}

int terminal_key(struct terminal *terminal)
{
	int key;

	do
		key = getch();
	while (key != ERR &&
	       (continues_sequence(terminal, key) || (key == ESCAPE && begins_sequence(terminal))));
	return key == ERR ? -1 : key;
}

bool terminal_is_ready(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	int queued = 0;

	if (poll(&out, 1, 0) != 1)
		return false;
	return ioctl(STDOUT_FILENO, TIOCOUTQ, &queued) < 0 || queued == 0;
}
