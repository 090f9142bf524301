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
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <term.h>
#include <termios.h>

static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };

/* For the handler of fatal signals: what it needs to restore the terminal. */
static struct {
	volatile sig_atomic_t taken;
	struct termios before;
	char text[128];
	size_t length;
} rescue;

/* text: what tigetstr() said. */
static void rescue_add(const char *text)
{
	size_t length;

	if (!text || text == (const char *)-1)
		return; /* this terminal needs none */
	length = strlen(text);
	if (rescue.length + length > sizeof(rescue.text))
		return;
	memcpy(rescue.text + rescue.length, text, length);
	rescue.length += length;
}

/* Only what a signal handler may do; the signal then ends us as it would have. */
static void on_crash(int signal)
{
	if (rescue.taken) {
		rescue.taken = 0;
		/* Not write(): half a frame may be buffered there. */
		syscall(SYS_write, STDOUT_FILENO, rescue.text, rescue.length);
		tcsetattr(STDIN_FILENO, TCSANOW, &rescue.before);
	}
	raise(signal);
}

/* On a stack of its own: the other one may be what was used up. */
static void prepare_rescue(void)
{
	static char stack[32768];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_ONSTACK };

	sigaltstack(&own, NULL);
	rescue.length = 0;
	rescue_add("\033[?1006l\033[?1002l\033[?1000l"); /* mouse */
	rescue_add(tigetstr("sgr0"));
	rescue_add(tigetstr("cnorm"));
	rescue_add(tigetstr("rmkx"));
	rescue_add(tigetstr("rmcup"));
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		sigaction(fatal_signals[i], &action, NULL);
}

static sigset_t handled_signals(void)
{
	static const int handled[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCONT
	};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		sigaddset(&set, handled[i]);
	return set;
}

int terminal_block_signals(struct terminal *terminal)
{
	sigset_t set = handled_signals();

	*terminal = (struct terminal){ .signals = -1 };
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	terminal->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return terminal->signals < 0 ? -errno : 0;
}

/*
 * Terminals with direct colour set COLORTERM, but TERM is xterm-256color all the same. ncurses
 * trusts its database, which has direct colour under a second name. If that entry is not
 * installed, 256 colours are used; they are not redefined, since the terminal would keep the
 * new ones for the next program.
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

/* Signals come by descriptor: the handlers of curses would end us with a code of theirs. */
static bool start_curses(void)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction before[ARRAY_SIZE(taken)];
	bool started;

	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		sigaction(taken[i], NULL, &before[i]);
	/* A terminal that is not in the database is a new one, and those speak as xterm does. */
	started = start_direct() || newterm(NULL, stdout, stdin) ||
		  newterm("xterm-256color", stdout, stdin) || newterm("xterm", stdout, stdin);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		sigaction(taken[i], &before[i], NULL);
	return started;
}

/* Terminals differ over these two, whatever they call themselves. */
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

int terminal_enter(struct terminal *terminal, bool color, bool mouse)
{
	if (tcgetattr(STDIN_FILENO, &rescue.before) < 0)
		return -errno;
	if (!start_curses())
		return -ENOTTY;
	frame_writer_open();
	prepare_rescue();
	rescue.taken = 1;
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	define_keys();
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	typeahead(-1); /* a frame is drawn to its end, whatever keys there are */
	curs_set(0);
	if (color && has_colors()) {
		start_color();
		use_default_colors();
		terminal->color = true;
	}
	if (mouse)
		terminal_set_mouse(true);
	return 0;
}

void terminal_set_mouse(bool ours)
{
	mousemask(ours ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
	mouseinterval(0); /* report a press at once, without waiting for a double click */
}

enum { PATIENCE_MS = 2000, ESCAPE = 27 };

static void leave_screen(int stop_fd, int patience_ms)
{
	frame_writer_begin(stop_fd, patience_ms);
	endwin();
	frame_writer_end();
}

void terminal_leave(struct terminal *terminal)
{
	sigset_t set = handled_signals();

	if (rescue.taken) {
		rescue.taken = 0;
		/* After a signal, output that was stopped with Ctrl-S may never go on. */
		if (terminal->ended_by)
			leave_screen(-1, PATIENCE_MS);
		else
			leave_screen(terminal->signals, -1);
	}
	frame_writer_close();
	if (terminal->signals >= 0)
		close(terminal->signals);
	terminal->signals = -1;
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void follow_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

/*
 * Ctrl-Z: restores the terminal for the shell, then stops by SIGTSTP. Not by SIGSTOP: the
 * kernel ignores SIGTSTP in an orphaned process group, which no shell could continue.
 */
static void suspend(void)
{
	sigset_t stop, go_on;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigemptyset(&go_on);
	sigaddset(&go_on, SIGCONT);
	rescue.taken = 0;
	leave_screen(-1, PATIENCE_MS);
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
	raise(SIGTSTP);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	sigtimedwait(&go_on, NULL, &(struct timespec){ 0 }); /* we know */
	rescue.taken = 1;
	follow_size();
}

/* Stopped by others, and no word of it: the shell has had the terminal as we left it. */
static void come_back(void)
{
	leave_screen(-1, PATIENCE_MS);
	follow_size();
}

static enum event take_signal(struct terminal *terminal)
{
	struct signalfd_siginfo info;

	if (read(terminal->signals, &info, sizeof(info)) != sizeof(info))
		return EVENT_TIME;
	switch (info.ssi_signo) {
	case SIGCONT: come_back(); return EVENT_RESIZE;
	case SIGTSTP: suspend(); return EVENT_RESIZE;
	case SIGWINCH: follow_size(); return EVENT_RESIZE;
	default: terminal->ended_by = (int)info.ssi_signo; return EVENT_END;
	}
}

enum event terminal_wait(struct terminal *terminal, int fd, bool full, int64_t until_ns)
{
	int64_t left = until_ns - clock_now(CLOCK_MONOTONIC);
	struct timespec timeout = clock_timespec(MAX(left, 0));
	struct pollfd fds[] = {
		{ .fd = terminal->signals, .events = POLLIN },
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

/* A byte of a sequence, from its second on? The last one is a letter or a like sign. */
static bool continues_sequence(struct terminal *terminal, int key)
{
	bool within = terminal->in_sequence && key >= ' ' && key < 127;

	terminal->in_sequence = within && key < '@';
	return within;
}

/* After an escape: does a sequence begin that curses did not take for a key? */
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
