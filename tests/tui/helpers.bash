# Common to the tests of the full screen: a terminal (tmux) of a given size in which
# tt_smi -w runs, on a machine of files.
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

# terminal COLUMNSxROWS COMMAND...: a window that stays after the command, with its code.
terminal() {
	local size=$1
	shift
	open_terminal "$size" "$*; echo code \$?; sleep 600"
}

# watch COLUMNSxROWS [OPTIONS]: tt_smi -w looks at $D.
watch() {
	local size=$1
	shift
	terminal "$size" "$TT_SMI" --root "$D" -w "$@"
}

# ends_with COMMAND...: at the end of a page, which moves while what it shows is still being read.
ends_with() {
	keys End
	"$@"
}
