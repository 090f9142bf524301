#!/usr/bin/env bats
# Keys, mouse, sizes of the terminal, suspend.

load helpers

setup() {
	command -v tmux >/dev/null || skip "no tmux here"
	make_work
	machine -b n150,p150a -w dev=0,dram=1G,name=alpha,age=100 -w dev=1,dram=3G,name=beta,age=50 \
		-w dev=0+1,dram=256M,name=gamma,age=200 -w dev=1,via=none,name=delta
}

# listed: prints the names of the processes in their order on the screen.
listed() {
	screen | sed '/^─ Process /,$d' | grep -o -E '(alpha|beta|gamma|delta) *$' | xargs
}

lists() {
	[ "$(listed)" = "$*" ]
}

selected() {
	shows "^▶.*$1"
}

@test "views by digits and Tab, help, and quit" {
	watch 100x30
	eventually shows '─ DRAM  '
	keys 3
	eventually not shows '─ DRAM  '
	eventually shows 'TIME'
	keys Tab
	eventually shows '─ L1  '
	keys 5
	eventually shows '^IDENTITY'
	keys Escape
	eventually shows '─ L1  '
	keys 5
	eventually shows '^IDENTITY'
	keys BTab BTab BTab
	eventually shows '1350MHz\|800MHz'
	keys h
	eventually shows 'overview: devices, charts, processes'
	keys Escape
	eventually not shows 'overview: devices'
	keys q
	eventually shows 'code 0'
}

@test "sorting: one key, the menu, a heading, reversed" {
	watch 100x20 --view processes
	eventually lists beta alpha gamma delta
	keys T
	eventually lists delta gamma alpha beta
	keys I
	eventually lists beta alpha gamma delta
	keys N
	eventually lists alpha beta gamma delta
	keys F6 Home Down Down Down Enter
	eventually lists beta alpha gamma delta
	keys '<'
	eventually lists alpha gamma beta delta
	# The bytes of a mouse click on PID: button 0 in column 8 of line 3.
	printf -v press '\033[M (#'
	keys -l "$press"
	eventually lists alpha beta gamma delta
}

@test "processes sorted by compute, with figures that stay true when they are rounded" {
	rm -r "$D"
	machine -b 4xn150 -w dev=0,name=alpha,busy=0.3 -w dev=1,name=beta,busy=70.8,bound=lower -w dev=2,name=gamma,busy=99.7 \
		-w dev=3,via=none,name=delta
	watch 140x40 --set sort=compute --set chart=compute
	eventually lists gamma beta alpha delta
	eventually shows ' <1% .*alpha'
	eventually shows ' ≥70% .*beta'
	eventually shows ' 99% .*gamma'
	eventually shows 'Compute  device 0  <1 %'
	keys 2
	eventually shows 'busy <1%'
	keys q
	eventually shows 'code 0'
	close_terminal
	watch 140x40 --view processes --set sort=-compute
	eventually lists alpha beta gamma delta
}

@test "filter, search, follow, tag" {
	watch 100x20 --view processes
	eventually lists beta alpha gamma delta
	keys '\'
	keys -l 'dram>512M'
	keys Enter
	eventually lists beta alpha
	eventually shows 'only dram>512M (+2)'
	keys F4
	keys C-u
	keys -l 'drum>1'
	keys Enter
	eventually shows 'no column "drum"'
	keys Escape Escape
	eventually lists beta alpha gamma delta
	keys /
	keys -l gam
	eventually selected gamma
	keys Enter F N
	eventually selected gamma
	keys F Home Space
	eventually shows '1 tagged'
	eventually shows '^+'
	keys U
	eventually not shows 'tagged'
}

@test "a process in detail, with its environment" {
	watch 100x30 --view processes
	eventually selected beta
	keys Enter
	eventually shows 'Process Id'
	eventually ends_with shows 'Environment'
	keys q
	eventually lists beta alpha gamma delta
}

@test "signals need a confirmation, and are disabled by --read-only" {
	watch 100x30 --view processes
	eventually selected beta
	keys F9
	eventually shows 'SIGTERM'
	keys Enter
	eventually shows 'Send SIGTERM to 1002 beta'
	keys n
	eventually not shows 'Send SIG'
	# A recorded process does not exist on this machine.
	keys k
	eventually shows 'SIGKILL'
	keys Enter
	eventually shows 'Send SIGTERM'
	keys y
	eventually shows 'no such process on this machine'
	keys q
	eventually shows 'code 0'
	close_terminal
	watch 100x30 --view processes --read-only
	eventually selected beta
	eventually not shows 'Kill'
	keys k
	eventually shows 'no signals'
}

@test "a signal reaches a real process" {
	rm -r "$D"
	start -b n150 -w dev=0,dram=1G,name=victim
	watch 100x30 --view processes -r 100
	eventually shows victim
	keys k
	eventually shows 'SIGTERM'
	keys Down Down Enter
	eventually shows 'Send SIGKILL'
	keys y
	eventually shows 'no process has a device open'
}

@test "a signal to many tagged processes, and its result" {
	rm -r "$D"
	machine -b n150 -w dev=0,dram=1G,name=worker
	python3 "$HERE/crowd.py" "$D" 100
	watch 100x30 --view processes
	eventually shows 'Processes  100'
	keys -N 100 Space
	eventually shows '100 tagged'
	keys k
	eventually shows 'SIGTERM'
	keys Enter
	eventually shows 'Send SIGTERM to 100 tagged'
	keys y
	eventually shows 'SIGTERM sent to 0 of 100 processes; 1[01]..: no such process'
}

@test "pause holds the screen, step moves it" {
	rm -r "$D"
	start -b n150
	watch 80x24 -r 100
	eventually shows 'n150'
	keys Z
	eventually shows PAUSED
	local before
	# The screen must not change for longer than a second, in which the clock of a screen that is not
	# paused would advance. On a busy machine it may change once, to say that samples are overdue.
	held() {
		before=$(screen)
		sleep 1.5
		[ "$(screen)" = "$before" ]
	}
	eventually held
	stepped() {
		keys .
		[ "$(screen)" != "$before" ]
	}
	eventually stepped
	eventually shows PAUSED
	# Another view makes the sampler read values that were not needed before.
	keys 5
	eventually shows '^IDENTITY'
	eventually not shows 'not asked for'
	eventually shows PAUSED
	keys Z
	eventually not shows PAUSED
}

@test "any size, at any moment, in any view" {
	watch 80x24 -r 100
	eventually shows 'n150'
	local i
	for i in $(seq 60); do
		resize $((RANDOM % 200 + 1)) $((RANDOM % 60 + 1))
		keys $((RANDOM % 5 + 1))
	done
	resize 40 10
	keys 1
	eventually shows 'Overview'
	resize 1 1
	resize 100 30
	eventually shows '─ DRAM  '
	eventually shows 'q.*Quit'
	keys q
	eventually shows 'code 0'
}

# A shell with job control.
shell() {
	cat >"$WORK/rc" <<E
PS1='ready> '
PROMPT_COMMAND=
cd "$WORK"
E
	terminal "$1" bash --noprofile --rcfile "$WORK/rc" -i
	eventually shows 'ready>'
}

type_line() {
	keys -l "$1"
	keys Enter
}

@test "below a short list of processes are the details of the selected one" {
	watch 100x40 -r 60000
	eventually shows Overview
	keys 3
	eventually shows '^─ Process [0-9]*  (Enter for'
	shows '^  Command  *beta$'
	shows '^On device 1'
	keys Down
	eventually shows '^  Command  *alpha$'
	shows '^On device 0'
	not shows 'N/A (' # only what is known
	resize 100 15 # no room: the list alone
	eventually not shows '^─ Process '
	resize 100 40
	eventually shows '^  Command  *alpha$'
	keys '\'
	keys -l xyz
	keys Enter
	eventually shows 'no process matches'
	not shows '^─ Process [0-9]'
}

@test "a chart is drawn if the selected device has values, not if another one has" {
	remove "$D"
	machine -b n150,p150a -w dev=0,dram=1G,util=437
	watch 200x60 -r 60000
	eventually shows '─ Compute '
	keys Right
	eventually shows '─ Power  device 1'
	not shows '─ Compute '
	keys Left
	eventually shows '─ Compute '
}

@test "suspend and resume, and every way to end leaves the terminal as it was" {
	shell 80x24
	type_line "stty -g >before; $TT_SMI --root $D -w -r 100"
	eventually flag alternate_on 1
	keys C-z
	eventually shows Stopped
	eventually flag alternate_on 0
	eventually flag cursor_flag 1
	type_line fg
	eventually flag alternate_on 1
	keys C-c
	eventually flag alternate_on 0
	local signal
	for signal in TERM HUP SEGV ABRT; do
		type_line "clear; ulimit -c 0; $TT_SMI --root $D -w; echo code \$?"
		eventually shows 'Overview'
		eventually flag mouse_any_flag 1
		kill -$signal "$(child_of "$(program)")"
		eventually flag alternate_on 0
		eventually shows 'code 1[0-9][0-9]'
		eventually flag cursor_flag 1
		eventually flag mouse_any_flag 0
		type_line "stty -g >after-$signal"
		eventually test -s "$WORK/after-$signal"
		cmp "$WORK/before" "$WORK/after-$signal"
	done
}

# ThreadSanitizer calls handlers of signals later, after the call that uses the terminal. That call never returns, since
# the signal interrupts it again each time.
needs_handlers() {
	[ "${TT_SANITIZE:-}" != thread ] || skip "ThreadSanitizer delays handlers of signals"
}

@test "Ctrl-Z and fg fifty times, as a grandchild of the shell" {
	needs_handlers
	python3 "$HERE/suspend.py" "$TT_SMI" "$D"
	python3 "$HERE/suspend.py" "$TT_SMI" "$D" --plain
}

@test "suspended and killed while the shell has the terminal" {
	needs_handlers
	python3 "$HERE/background.py" "$TT_SMI" "$D"
	python3 "$HERE/background.py" "$TT_SMI" "$D" --plain
}

# When a signal is set to be ignored, a pending one is discarded even if it is blocked: a Ctrl-Z would be
# lost.
@test "no signal is ignored, not even while curses draws" {
	command -v strace >/dev/null || skip "no strace here"
	[ -z "${TT_INSTRUMENTED:-}" ] || skip "built with $TT_INSTRUMENTED, whose runtime has handlers of its own"
	terminal 80x24 strace -f -qq -o "$WORK/trace" -e trace=rt_sigaction \
		"$TT_SMI" --root "$D" -w -r 100
	eventually shows 'Overview'
	keys Down 3
	eventually not shows '─ DRAM  '
	keys q
	eventually shows 'code 0'
	grep -q 'SIGTSTP' "$WORK/trace"
	not grep -E 'SIG(TSTP|INT|TERM|WINCH|CONT|HUP|QUIT), \{sa_handler=SIG_IGN' "$WORK/trace"
}

@test "stopped and continued by another process, it redraws everything" {
	shell 80x24
	type_line "$TT_SMI --root $D -w -r 100"
	eventually shows 'Overview'
	kill -STOP "$(child_of "$(program)")"
	eventually shows Stopped
	type_line 'clear; fg'
	eventually shows 'Overview'
	eventually shows n150
	eventually shows '─ DRAM  '
	keys Down Up 3
	eventually not shows '─ DRAM  '
	eventually not shows 'ready>'
}

@test "if no shell could continue it, Ctrl-Z does not stop it" {
	watch 80x24 -r 100
	eventually shows '─ DRAM  '
	keys C-z 3
	eventually not shows '─ DRAM  '
}

@test "a lost terminal ends it" {
	watch 80x24 -r 100
	eventually shows n150
	local pid
	pid=$(program)
	close_terminal
	gone() { [ ! -e "/proc/$1" ]; }
	eventually gone "$pid"
}

@test "themes, ASCII, settings written on request and read again" {
	export XDG_CONFIG_HOME=$WORK/config
	mkdir "$XDG_CONFIG_HOME"
	watch 100x30 --ascii --theme mono --view grid
	eventually shows '0\* '
	not grep -q -P '[^\x00-\x7f]' <(screen)
	[ ! -e "$XDG_CONFIG_HOME/tt-smi" ]
	# Values that were set by options are not saved, unless they were chosen again by a key.
	keys W
	eventually grep -q '^view = overview$' "$XDG_CONFIG_HOME/tt-smi/config"
	grep -q '^theme = default$' "$XDG_CONFIG_HOME/tt-smi/config"
	keys 1 2 C C C C W
	eventually grep -q '^view = grid$' "$XDG_CONFIG_HOME/tt-smi/config"
	grep -q '^theme = mono$' "$XDG_CONFIG_HOME/tt-smi/config"
	keys q
	eventually shows 'code 0'
	close_terminal
	echo 'nonsense = 1' >>"$XDG_CONFIG_HOME/tt-smi/config"
	watch 100x30
	eventually shows 'no setting "nonsense"'
	eventually shows '0● '
	keys q
	eventually shows 'tt_smi: settings: .*no setting "nonsense"'
	expect_usage() {
		"$TT_SMI" --root "$D" "$@" >/dev/null 2>"$WORK/err" && return 1
		[ -s "$WORK/err" ]
	}
	expect_usage --theme mono
}

@test "requested actions are completed before it ends, and their result is printed" {
	export XDG_CONFIG_HOME=$WORK/config
	mkdir "$XDG_CONFIG_HOME"
	rm -r "$D"
	start -b n150 -w dev=0,dram=1G,name=victim
	watch 100x30
	eventually shows victim
	keys 3 k
	eventually shows 'SIGTERM'
	keys Down Down Enter
	eventually shows 'Send SIGKILL'
	keys y W q
	eventually shows 'code 0'
	eventually shows '^SIGKILL sent to'
	eventually shows '^settings written: '
	grep -q '^view = processes$' "$XDG_CONFIG_HOME/tt-smi/config"
}

@test "a folder for settings that blocks, or that cannot be created" {
	export XDG_CONFIG_HOME=$WORK/config
	mkdir -p "$XDG_CONFIG_HOME/tt-smi"
	mkfifo "$XDG_CONFIG_HOME/tt-smi/config.new"
	watch 100x30
	eventually shows '─ DRAM  '
	keys W
	eventually shows 'settings not written: the directory does not answer'
	eventually not shows 'settings not written'
	not shows 'NO SAMPLE'
	keys q
	eventually shows 'code 0'
	close_terminal
	XDG_CONFIG_HOME=/proc/self/nowhere watch 100x30
	eventually shows '─ DRAM  '
	keys W
	eventually shows 'settings not written: /proc/self/nowhere/tt-smi: No such file'
}

@test "unknown key sequences of the terminal do nothing" {
	watch 100x30
	eventually shows '─ DRAM  '
	# Ctrl-Right, Shift-Up, a function key with Alt: their sequences contain digits and letters, which are keys too.
	keys -H 1b 5b 31 3b 35 43 1b 5b 31 3b 32 41 1b 5b 32 35 3b 33 7e 1b 4f 35
	keys I
	eventually shows 'by DRAM▲'
	eventually shows '─ DRAM  '
	not shows 'IDENTITY'
	# End and Home, as sent by terminals with a wrong TERM.
	keys -H 1b 5b 34 7e
	eventually selected delta
	keys -H 1b 5b 31 7e
	eventually selected gamma
}
