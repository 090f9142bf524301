# Common to the tests of the full screen: a terminal (tmux) of a given size in which
# tt_smi -w shows a recorded or simulated machine.
load ../cli/helpers
load ../terminal

export XDG_CONFIG_HOME=/nonexistent
unset TT_SMI_VIEW TT_SMI_THEME TT_SMI_SORT TT_SMI_REFRESH TT_SMI_SPAN TT_SMI_CHART

setup() {
	command -v tmux >/dev/null || skip "no tmux here"
	make_work
}

teardown() {
	close_terminal
	clean_up
}

# terminal COLUMNSxROWS COMMAND...: runs a command in a terminal, which stays open and then shows the exit code.
terminal() {
	local size=$1
	shift
	open_terminal "$size" "$*; echo code \$?; sleep 600"
}

# watch COLUMNSxROWS [OPTIONS]: runs tt_smi -w on $D.
watch() {
	local size=$1
	shift
	terminal "$size" "$TT_SMI" --root "$D" -w "$@"
}

# ends_with COMMAND...: the command succeeds at the end of the page. Presses End each time, since the page grows while
# its content is still being read.
ends_with() {
	keys End
	"$@"
}
