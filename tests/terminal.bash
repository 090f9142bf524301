# A terminal of a given size (tmux): reads its screen and presses keys. Its socket is in the directory
# of the test, and is removed with it.

SOCKET=
TERMINAL= # pid of its server
TERMINALS=0

# open_terminal COLUMNSxROWS COMMAND
open_terminal() {
	command -v tmux >/dev/null || skip "no tmux here"
	TERMINALS=$((TERMINALS + 1))
	SOCKET=$WORK/tmux.$TERMINALS # one per terminal: a server that ends still accepts clients for a while
	env -u TMUX SHELL=/bin/sh TERM=xterm-256color tmux -u -S "$SOCKET" -f /dev/null \
		new-session -d -x "${1%x*}" -y "${1#*x}" "$2" 3>&-
	TERMINAL=$(tmux -S "$SOCKET" display-message -p '#{pid}')
	tmux -S "$SOCKET" set-option -g window-size manual
}

close_terminal() {
	[ -n "$SOCKET" ] || return 0
	tmux -S "$SOCKET" kill-server 2>/dev/null || true
	eventually not readlink "/proc/$TERMINAL/exe" >/dev/null
	SOCKET=
}

keys() {
	tmux -S "$SOCKET" send-keys "$@"
}

screen() {
	tmux -S "$SOCKET" capture-pane -p
}

shows() {
	screen | grep -q -- "$1"
}

resize() { # COLUMNS ROWS
	tmux -S "$SOCKET" resize-window -x "$1" -y "$2"
}

flag() { # NAME VALUE
	[ "$(tmux -S "$SOCKET" display-message -p "#{$1}")" = "$2" ]
}

# The first process that PID has started.
child_of() { # PID
	tr ' ' '\n' <"/proc/$1/task/$1/children" | grep -m1 .
}

# The program that the shell in it runs.
program() {
	child_of "$(tmux -S "$SOCKET" display-message -p '#{pane_pid}')"
}
