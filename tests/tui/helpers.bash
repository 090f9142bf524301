# Common to the tests of the full screen: a terminal (tmux) of a given size in which
# tt_smi -w runs, on a machine of files.
load ../cli/helpers

export XDG_CONFIG_HOME=/nonexistent
unset TT_SMI_VIEW TT_SMI_THEME TT_SMI_SORT TT_SMI_REFRESH TT_SMI_SPAN TT_SMI_CHART

setup() {
	command -v tmux >/dev/null || skip "no tmux here"
	make_work
	SOCKET=tt-smi-tui-$$-$BATS_TEST_NUMBER
}

teardown() {
	tmux -L "$SOCKET" kill-server 2>/dev/null || true
	clean_up
}

# terminal COLUMNSxROWS COMMAND...: a window that stays after the command, with its code.
terminal() {
	local size=$1
	shift
	env -u TMUX TERM=xterm-256color tmux -u -L "$SOCKET" -f /dev/null \
		new-session -d -x "${size%x*}" -y "${size#*x}" "$*; echo code \$?; sleep 600" 3>&-
	tmux -L "$SOCKET" set-option -g window-size manual
}

# watch COLUMNSxROWS [OPTIONS]: tt_smi -w looks at $D.
watch() {
	local size=$1
	shift
	terminal "$size" "$TT_SMI" --root "$D" -w "$@"
}

close_terminal() {
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

# The program that runs in the terminal: ours has become tt_smi-tui.
program() {
	local shell
	shell=$(tmux -L "$SOCKET" display-message -p '#{pane_pid}')
	tr ' ' '\n' <"/proc/$shell/task/$shell/children" | grep -m1 .
}
