# A terminal of a given size (tmux): what it shows, and keys pressed on it.

SOCKET=

# open_terminal COLUMNSxROWS COMMAND
open_terminal() {
	command -v tmux >/dev/null || skip "no tmux here"
	SOCKET=tt-smi-test-$$-$BATS_TEST_NUMBER
	env -u TMUX TERM=xterm-256color tmux -u -L "$SOCKET" -f /dev/null \
		new-session -d -x "${1%x*}" -y "${1#*x}" "$2" 3>&-
	tmux -L "$SOCKET" set-option -g window-size manual
}

close_terminal() {
	[ -n "$SOCKET" ] || return 0
	tmux -L "$SOCKET" kill-server 2>/dev/null || true
	eventually not tmux -L "$SOCKET" list-sessions 2>/dev/null
}

keys() {
	tmux -L "$SOCKET" send-keys "$@"
}

screen() {
	tmux -L "$SOCKET" capture-pane -p
}

shows() {
	screen | grep -q -- "$1"
}

resize() { # COLUMNS ROWS
	tmux -L "$SOCKET" resize-window -x "$1" -y "$2"
}

flag() { # NAME VALUE
	[ "$(tmux -L "$SOCKET" display-message -p "#{$1}")" = "$2" ]
}

# The program that the shell in it runs.
program() {
	local shell
	shell=$(tmux -L "$SOCKET" display-message -p '#{pane_pid}')
	tr ' ' '\n' <"/proc/$shell/task/$shell/children" | grep -m1 .
}
