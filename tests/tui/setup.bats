#!/usr/bin/env bats
# The setup screen, charts, and filters of the process list.

load helpers

setup() {
	command -v tmux >/dev/null || skip "no tmux here"
	make_work
	machine -b n150,p150a,p300 -w dev=0,dram=1G,name=alpha,age=100 -w dev=1,dram=3G,name=beta,age=50 \
		-w dev=0+1,dram=256M,name=gamma,age=200,uid=1 -w dev=1,via=none,name=delta
}

# headings: prints the headings of the process list.
headings() {
	screen | grep -m1 'PID.*COMMAND' | xargs
}

has_headings() {
	[ "$(headings)" = "$*" ]
}

lists() {
	# Not in the details of the selected process, which may follow the list.
	[ "$(screen | sed '/^─ Process [0-9]/,$d' | grep -o -E '(alpha|beta|gamma|delta) *$' | xargs)" = "$*" ]
}

# at PATTERN: the selected line of the setup screen matches.
at() {
	shows "│ ▶ $1"
}

@test "columns are hidden, shown and moved, at once" {
	watch 200x60 --view processes
	eventually has_headings PID USER DEV DRAM▼ PEAK L1 CPU% HOST TIME STATE OWNER STATUS COMMAND
	keys F2
	eventually at 'view'
	keys End
	eventually at ' *\[x\] COMMAND'
	keys Up Space
	eventually at ' *\[ \] STATUS'
	keys Up Up Space Up Space Home
	eventually at 'view'
	keys Down Down Down Down Down Down Down Down Down Down Down
	eventually at 'columns *\[x\] PID'
	keys ] ]
	eventually at ' *\[x\] PID'
	keys Escape
	eventually has_headings USER DEV PID DRAM▼ PEAK L1 CPU% HOST OWNER COMMAND
	# Two columns cannot be hidden, and a column cannot be moved beyond the edge.
	keys S End Space ] ]
	eventually at ' *\[x\] COMMAND'
	keys q
	eventually has_headings USER DEV PID DRAM▼ PEAK L1 CPU% HOST OWNER COMMAND
	# A mouse click on a heading selects the column that is there now: line 3, column 3.
	printf -v press '\033[M ##'
	keys -l "$press"
	eventually has_headings USER▲ DEV PID DRAM PEAK L1 CPU% HOST OWNER COMMAND
}

@test "theme, units, sort, view: at once; written on request only" {
	export XDG_CONFIG_HOME=$WORK/config
	watch 120x40
	eventually shows '3.2GB/31.9GB'
	keys S
	eventually at 'view *◀ overview'
	keys Right Right
	eventually at 'view *◀ processes'
	keys Down Right
	eventually at 'theme *◀ colorblind'
	keys Down Right
	eventually at 'refresh *◀ 2000'
	keys Down Right
	eventually at 'units *◀ iec'
	eventually shows 'DRAM ≥4.5GiB/'
	keys Right
	eventually shows 'DRAM ≥4.8GB/'
	keys Down Right
	eventually at 'sort *◀ peak'
	keys Left
	eventually at 'sort *◀ dram'
	keys Down Right
	eventually at 'tree *◀ yes'
	[ ! -e "$XDG_CONFIG_HOME" ]
	keys W
	eventually shows 'settings written'
	keys Escape
	eventually not shows '│ ▶'
	eventually shows 'gamma'
	grep -q '^units = decimal$' "$XDG_CONFIG_HOME/tt-smi/config"
	grep -q '^refresh = 2000$' "$XDG_CONFIG_HOME/tt-smi/config"
	grep -q '^view = processes$' "$XDG_CONFIG_HOME/tt-smi/config"
	grep -q '^tree = yes$' "$XDG_CONFIG_HOME/tt-smi/config"
	grep -q '^columns = pid user ' "$XDG_CONFIG_HOME/tt-smi/config"
	keys q
	eventually shows 'code 0'
	close_terminal
	TT_SMI_UNITS=iec watch 120x40
	eventually shows 'DRAM ≥4.5GiB/'
	eventually shows '  2s$'
	eventually shows 'COMMAND'
	eventually not shows 'p150a'
}

@test "any setting on the command line, before environment and file" {
	TT_SMI_SORT=pid TT_SMI_UNITS=decimal watch 120x40 --view processes --set sort=-time --set units=iec
	eventually lists beta alpha gamma delta
	eventually shows 'by TIME▲'
	eventually shows '3.0GiB'
	keys q
	eventually shows 'code 0'
	close_terminal
	terminal 80x24 "$TT_SMI" --root "$D" -w --set nonsense=1
	eventually shows 'tt_smi: --set: no setting "nonsense"'
	eventually shows 'code 2'
	close_terminal
	terminal 80x24 "$TT_SMI" --root "$D" -w --set theme
	eventually shows 'tt_smi: --set: theme cannot be ""'
	eventually shows 'code 2'
}

@test "the setup screen on the smallest terminal, by mouse" {
	watch 40x10
	eventually shows alpha
	keys S
	eventually at 'view'
	eventually shows ' +20 '
	# A mouse click on the second line changes its setting, the theme.
	printf -v press '\033[M %%$'
	keys -l "$press"
	eventually at 'theme *◀ colorblind'
	keys End
	eventually at ' *\[x\] COMMAND'
	keys Escape
	eventually shows alpha
}

@test "charts of several devices, of blocks, and as ASCII" {
	TT_SMI_CHART=power watch 100x40
	eventually shows 'Power  device 0'
	eventually shows 'Temperature  device 0'
	keys G
	eventually shows '▶Power  device 0'
	eventually shows ' Power  device 3'
	keys Right
	eventually shows '▶Power  device 1'
	eventually shows '⣿'
	keys g
	eventually shows '▶Temperature  device 1'
	keys S Home Down Down Down Down Down Down Down Down Right
	eventually at 'signs *◀ blocks'
	keys Escape
	eventually shows '█$\|█ '
	eventually not shows '⣿'
	eventually shows '▁\|▂\|▃\|▄\|▅\|▆\|▇'
	keys S Right
	eventually at 'view'
	keys Escape q
	eventually shows 'code 0'
	close_terminal
	TT_SMI_SIGNS=blocks watch 100x30 --ascii
	eventually shows '|.*#'
	not grep -q -P '[^\x00-\x7f]' <(screen)
}

@test "charts without room are counted" {
	watch 80x24
	eventually shows ' +[0-9] (g)'
	keys G
	eventually shows ' +[0-9] devices'
}

@test "filters by user, owner, device" {
	watch 120x30 --view processes
	eventually lists beta alpha gamma delta
	keys u
	eventually shows 'Only of user'
	eventually at all
	keys End
	keys Enter
	eventually lists gamma
	eventually shows 'only user='
	keys u Enter
	eventually lists beta alpha gamma delta
	keys o
	eventually shows 'Only of owner'
	keys Escape i
	eventually lists alpha gamma
	eventually shows 'only dev=0 '
	keys Right i
	eventually lists beta gamma delta
	keys i
	eventually lists beta alpha gamma delta
}

@test "environment and open files of a process" {
	rm -r "$D"
	start -b n150 -w dev=0,dram=1G,name=victim
	watch 100x16 --view processes
	eventually shows victim
	keys e
	eventually shows '│ Environment'
	keys Escape l
	eventually shows '│ Open device files'
	eventually shows 'device 0 .*dev/tenstorrent/0'
	keys Home
	eventually shows 'Process Id'
	keys q 2 k
	eventually shows 'no process is selected'
	keys Down # removes the message about the key before
	eventually shows '1Overview 2Grid'
	not shows 'no process is selected'
}

@test "the keys of the bottom line can be clicked" {
	watch 80x24
	eventually shows '─ DRAM  '
	# Button 0 at column 12 of line 24: Grid.
	printf -v press '\033[M ,8'
	keys -l "$press"
	eventually not shows '─ DRAM  '
	keys h
	eventually shows 'Keys'
}

@test "PCIe rates, at any refresh period" {
	rm -r "$D"
	start -b n150
	TT_SMI_CHART=pcie_in watch 100x30 -r 5000
	eventually shows 'PCIe in  [0-9.]* .B/s'
}

@test "charts widen with the samples; zoom, scroll back in time, and return" {
	[ -z "${TT_SANITIZE:-}" ] || skip "a sanitizer has its own clock_gettime()"
	python3 "$HERE/zoom.py" "$(dirname "$TT_SMI")" 3>&-
}
