#!/usr/bin/env bats
# -w --plain on a terminal: refreshed in place, and the terminal is restored afterwards.

load helpers
load machines
load ../terminal

setup() {
	make_work
	machine -b n150,p150a -w dev=0,dram=1G,name=one -w dev=1,dram=1G,name=two
}

teardown() {
	close_terminal
	clean_up
}

# stream SCENARIO: runs a scenario of terminal.py.
stream() {
	python3 "$HERE/terminal.py" "$1" "$TT_SMI" "$D" 3>&-
}

@test "a sample that changes nothing writes nothing" {
	stream unchanged
}

@test "a value that changes rewrites its line, and no other" {
	stream one_line
}

@test "keys are neither echoed nor left for the shell" {
	stream keys
}

@test "Ctrl-C, Ctrl-\\ and signals leave the terminal as it was, at once, and kill" {
	stream interrupt
}

@test "-n ends it normally" {
	stream count
}

@test "a new size takes effect at once, and a small one shows what is missing" {
	stream resize
}

@test "a slow terminal gets fewer frames, and signals still work" {
	stream slow
}

@test "no line is wider than the terminal" {
	stream narrow
}

@test "a file that blocks does not delay Ctrl-C" {
	needs_fuse
	rm -r "$D"
	start -b n150,p150a --no-workloads --fault hang:1/temp1_input
	patiently python3 "$HERE/terminal.py" hung "$TT_SMI" "$D" 3>&-
}

@test "error messages do not disturb the screen" {
	stream trouble
}

# A shell in a terminal of this size, with job control and without the user's settings.
shell() { # COLUMNSxROWS
	cat >"$WORK/rc" <<E
PS1='ready> '
PROMPT_COMMAND=
cd "$WORK"
smi() { "$TT_SMI" --root "$D" "\$@"; }
E
	open_terminal "$1" "exec bash --noprofile --rcfile $WORK/rc -i"
	eventually shows 'ready>'
}

command_line() {
	keys -l "$1"
	keys Enter
}

# Columns of the first line.
wide() {
	[ "$(screen | head -1 | tr -d '\n' | wc -m)" = "$1" ]
}

@test "80x24: in place on the alternate screen, and the old one returns after Ctrl-C" {
	shell 80x24
	command_line 'echo what was there before; stty -g >before'
	eventually test -s "$WORK/before"
	command_line 'smi -w --plain -r 100'
	eventually shows '1002 .*two'
	eventually flag alternate_on 1
	eventually flag cursor_flag 0
	eventually not shows 'what was there before'
	# After more samples there is still one table, as wide as the terminal.
	screen >"$WORK/screen"
	[ "$(grep -c '^┌─*┐$' "$WORK/screen")" = 2 ]
	python3 "$HERE/widths.py" "$WORK/screen"
	eventually wide 80
	eventually flag history_size 0
	keys C-c
	eventually flag alternate_on 0
	eventually flag cursor_flag 1
	eventually shows 'what was there before'
	eventually not shows '┌─'
	command_line 'echo code $?; stty -g >after'
	eventually shows 'code 130'
	eventually test -s "$WORK/after"
	cmp "$WORK/before" "$WORK/after"
}

@test "120x40: wider, and after a kill the terminal is as it was" {
	shell 120x40
	command_line 'stty -g >before; smi -w --plain -r 100; echo code $?; stty -g >after'
	eventually shows '1002 .*two'
	screen >"$WORK/screen"
	eventually wide 120
	python3 "$HERE/widths.py" "$WORK/screen"
	kill -TERM "$(program)"
	eventually shows 'code 143'
	eventually flag alternate_on 0
	eventually flag cursor_flag 1
	eventually test -s "$WORK/after"
	cmp "$WORK/before" "$WORK/after"
}

@test "Ctrl-Z restores the terminal, fg redraws" {
	shell 80x24
	command_line 'echo what was there before; stty -g >before; smi -w --plain -r 100'
	eventually shows '1002 .*two'
	keys C-z
	eventually shows 'Stopped'
	eventually flag alternate_on 0
	eventually flag cursor_flag 1
	eventually shows 'what was there before'
	# bash sets modes of its own at its prompt; a command sees those of the terminal.
	command_line 'stty -g >stopped; echo $((40 + 2))'
	eventually shows '^42'
	cmp "$WORK/before" "$WORK/stopped"
	command_line 'fg'
	eventually flag alternate_on 1
	eventually shows '1002 .*two'
	eventually flag cursor_flag 0
	keys C-c
	eventually flag alternate_on 0
	command_line 'echo code $?; stty -g >after'
	eventually test -s "$WORK/after"
	cmp "$WORK/before" "$WORK/after"
}

@test "tmux resizes, the table follows" {
	shell 80x24
	command_line 'smi -w --plain -r 100'
	eventually shows '1002 .*two'
	resize 130 30
	eventually wide 130
	eventually shows '1002 .*two'
	screen >"$WORK/screen"
	python3 "$HERE/widths.py" "$WORK/screen"
	resize 80 24
	eventually wide 80
	keys C-c
	eventually flag alternate_on 0
}

@test "a small terminal shows what is cut, also with 32 devices on 24 lines" {
	rm -r "$D"
	make_machine galaxy-blackhole
	shell 80x24
	command_line 'smi -w --plain -r 100'
	eventually shows 'tt-smi 1'
	eventually shows '+[0-9]* lines'
	local lines told
	lines=$(COLUMNS=80 smi | wc -l)
	told=$(screen | sed -n 's/.*+\([0-9]*\) lines.*/\1/p')
	echo "$lines lines, $told cut"
	[ "$told" = $((lines - 23)) ]
	keys C-c
	eventually flag alternate_on 0
}

@test "-w on a terminal in another mode than the table, or once: a block per sample" {
	shell 80x24
	command_line 'smi -L -w -r 100 -n 3; echo code $?'
	eventually shows 'code 0'
	[ "$(screen | grep -c '^GPU 0:')" = 3 ]
	eventually flag alternate_on 0
	command_line 'clear; smi -w -n 1; echo once $?'
	eventually shows 'once 0'
	shows 'Device Name\|GPU Name\|tt-smi 1'
	eventually flag alternate_on 0
}
