#!/usr/bin/env bats
# Options and fields: help, manual, documents and completions agree.
load helpers

TEXTS="man/tt_smi.1 docs/options.md"

@test "every option of the help is in manual and documents" {
	"$TT_SMI" --help | "$PYTHON" "$HERE/options.py" help >"$WORK/help"
	for text in $TEXTS; do
		"$PYTHON" "$HERE/options.py" "$TOP/$text" >"$WORK/text"
		run comm -23 "$WORK/help" "$WORK/text"
		echo "not in $text: $output"
		[ -z "$output" ]
	done
}

@test "manual and documents name the same options" {
	"$PYTHON" "$HERE/options.py" "$TOP/man/tt_smi.1" >"$WORK/manual"
	for text in $TEXTS; do
		"$PYTHON" "$HERE/options.py" "$TOP/$text" >"$WORK/text"
		echo "man/tt_smi.1 and $text:"
		diff "$WORK/manual" "$WORK/text"
	done
}

@test "every option in a text exists in the program" {
	for text in $TEXTS; do
		"$PYTHON" "$HERE/options.py" "$TOP/$text"
	done | sort -u >"$WORK/named"
	while read -r option; do
		run "$TT_SMI" --root "$WORK" "$option" </dev/null
		echo "$option: $output"
		[[ $output != *"unknown option"* ]]
	done <"$WORK/named"
	run "$TT_SMI" --no-such-option
	[ "$status" = 2 ]
	[[ $output == *"unknown option"* ]]
}

# candidates PROGRAM WORD...: the words that the completions offer for the last word, without descriptions.
candidates() {
	bash "$TOP/completions/tt_smi.bash" "$@" | sed '/^:/d;s/\t.*//'
}

# options_agree MANUAL COMMAND...: the manual page and the completions have the options of the command's
# help, which is generated from its table of options.
options_agree() {
	local manual=$1
	shift
	"$@" --help >"$WORK/text"
	[ "$(wc -L <"$WORK/text")" -le 80 ]
	"$PYTHON" "$HERE/options.py" help <"$WORK/text" >"$WORK/help"
	echo "help of $* and man/$manual:"
	"$PYTHON" "$HERE/options.py" "$TOP/man/$manual" items >"$WORK/text"
	diff "$WORK/help" "$WORK/text"
	echo "help of $* and completions:"
	candidates "$@" - | sort -u >"$WORK/text"
	diff <(sort -u "$WORK/help") "$WORK/text"
}

@test "options of every command and program are in its manual and completions" {
	options_agree tt_smi-mem.1 "$TT_SMI" mem
	options_agree tt_smi-run.1 "$TT_SMI" run
	options_agree tt_smi-wait.1 "$TT_SMI" wait
	options_agree tt_smi-select.1 "$TT_SMI" select
	options_agree tt_smi-doctor.1 "$TT_SMI" doctor
	options_agree tt_smi-check.1 "$TT_SMI" check
	options_agree tt_smi-dmon.1 "$TT_SMI" dmon
	options_agree tt_smi-dmon.1 "$TT_SMI" pmon
	options_agree tt_smi-topo.1 "$TT_SMI" topo
	options_agree tt_smi-sim.1 "$TT_SMI" sim
	options_agree tt_allocd.8 "$(dirname "$TT_SMI")/tt_allocd"
	if [ -e "$(dirname "$TT_SMI")/tt_smi-trace" ]; then
		options_agree tt_smi-trace.1 "$TT_SMI" trace
	fi
	if [ -e "$(dirname "$TT_SMI")/tt_smi-serve" ]; then
		options_agree tt_smi-serve.1 "$TT_SMI" serve
	fi
	if [ -e "$(dirname "$TT_SMI")/tt_smi-fleet" ]; then
		options_agree tt_smi-fleet.1 "$TT_SMI" fleet
	fi
	candidates "$TT_SMI" - | sort -u >"$WORK/text"
	"$TT_SMI" --help | "$PYTHON" "$HERE/options.py" help | sort -u | diff - "$WORK/text"
}

@test "every command is in manual and completions" {
	commands=$("$TT_SMI" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
	[ "$(wc -w <<<"$commands")" -ge 6 ]
	for command in $commands; do
		echo "$command"
		grep -qE "Cm (.* )?$command( |$)" "$TOP/man/tt_smi.1"
	done
	diff <(echo "$commands") <(candidates "$TT_SMI" "")
}

# The sections that -d knows, as its error message lists them.
@test "manual, documents and completions have the sections of -d" {
	sections=$("$TT_SMI" -q -d NONE 2>&1 | sed 's/.* is not //; s/,//g; s/ or / /') || true
	[ "$(wc -w <<<"$sections")" -ge 10 ]
	for section in $sections; do
		for text in $TEXTS; do
			echo "$section in $text"
			grep -qw "$section" "$TOP/$text"
		done
	done
	same "$(tr ' ' '\n' <<<"$sections")" "$(candidates "$TT_SMI" -q -d "")"
}

@test "manual, README and help have the exit codes of src/basic/exit_code.h" {
	codes=$(sed -n 's/.*EXIT_[A-Z_]* = \([0-9]*\),.*/\1/p' "$TOP/src/basic/exit_code.h")
	[ "$(wc -w <<<"$codes")" -ge 8 ]
	same "$codes" "$(sed -n '/^\.Sh EXIT STATUS/,/^\.El/s/^\.It \([0-9]*\)$/\1/p' "$TOP/man/tt_smi.1")"
	same "$codes" "$(sed -n '/^## Scripts and CI/,/^## More/s/^| \([0-9]*\) |.*/\1/p' "$TOP/README.md")"
	same "$codes" "$("$TT_SMI" --help | sed -n '/^Exit status/,/^$/p' | grep -o '[0-9]\+')"
}

# listed_codes PAGE: those in the list of its section EXIT STATUS.
listed_codes() {
	sed -n '/^\.Sh EXIT STATUS/,/^\.Sh [^E]/s/^\.It \([0-9]*\)$/\1/p' "$1"
}

# used_codes FOLDER|FILE...: the numbers of the exit codes that these sources name.
used_codes() {
	(cd "$TOP" && grep -rohw --include='*.c' 'EXIT_[A-Z_]*' "$@") | sort -u | while read -r name; do
		sed -n "s/.*\b$name = \([0-9]*\),.*/\1/p" "$TOP/src/basic/exit_code.h"
	done | sort -u
}

@test "exit codes of every manual page are those of src/basic/exit_code.h" {
	codes=$(sed -n 's/.*EXIT_[A-Z_]* = \([0-9]*\),.*/\1/p' "$TOP/src/basic/exit_code.h")
	for page in "$TOP"/man/*.[0-9]; do
		run comm -13 <(sort -u <<<"$codes") <(listed_codes "$page" | sort -u)
		echo "$page: $output"
		[ -z "$output" ]
	done
}

# Pages of single commands refer to tt_smi(1), which has all exit codes.
@test "manual pages of single programs have the exit codes that their sources use" {
	same "$(used_codes src/daemon)" "$(listed_codes "$TOP/man/tt_allocd.8")"
	same "$(used_codes src/trace)" "$(listed_codes "$TOP/man/tt_smi-trace.1")"
	same "$(used_codes src/serve)" "$(listed_codes "$TOP/man/tt_smi-serve.1")"
	same "$(used_codes src/fleet src/fleet_tui)" "$(listed_codes "$TOP/man/tt_smi-fleet.1")"
	same "$(used_codes sim)" "$(listed_codes "$TOP/man/tt_smi-sim.1")"
	same "$(used_codes src/cli/run.c src/cli/run_program.c src/cli/reservation.c src/cli/device_search.c src/cli/device_request.c)" "$(listed_codes "$TOP/man/tt_smi-run.1")"
	[ "$(used_codes sim | wc -l)" -ge 6 ]
	run grep -rnE 'exit\([0-9]+\)|EXIT_(FAILURE|SUCCESS)' "$TOP/src" "$TOP/sim"
	echo "$output"
	[ "$status" = 1 ]
}

@test "docs/metrics.md lists the metrics of the program, the manual and completions their groups" {
	[ -e "$(dirname "$TT_SMI")/tt_smi-serve" ] || skip "built without tt_smi serve"
	"$TT_SMI" serve --list-metrics | sed 's/\t/ | /g;s/^\([^ ]*\)/| `\1`/;s/$/ |/' >"$WORK/list"
	[ "$(wc -l <"$WORK/list")" -ge 35 ]
	diff "$WORK/list" <(grep '^| `ttsmi_' "$TOP/docs/metrics.md")
	# Some groups have no metric of their own, but are named in the help of other metrics.
	"$TT_SMI" serve --list-metrics >"$WORK/raw"
	groups=$({ cut -f4 "$WORK/raw" | grep -v '^-$'; grep -o -e '--collect [a-z]*' "$WORK/raw" | cut -d' ' -f2; } | sort -u)
	same "$groups" "$(candidates "$TT_SMI" serve --no-collect "")"
	same "$groups" "$(sed -n '/^Leave out a group/,/^Repeatable/s/^\.Cm //p' "$TOP/man/tt_smi-serve.1" | tr -d ' .' | tr , '\n')"
}

# The manual's text of a setting is compared with the program's in tests/tui/test_settings.c.
@test "help lists the views and themes of the settings" {
	for setting in view theme; do
		values=$(sed -n "/^\.It Cm $setting\$/{n;p;}" "$TOP/man/tt_smi.1")
		echo "$setting: $values"
		[ -n "$values" ]
		"$TT_SMI" --help | tr -s ' \n' ' ' | grep -qF "$values"
	done
}

# keys OPTION: every name that a list of fields has, aliases too.
keys() {
	"$TT_SMI" "$1" | sed -n '/^"/{s/" or "/\n/g;s/"//g;p;}'
}

@test "every field that the help lists can be queried" {
	tree -w dev=0,dram=1G,name=a
	for kind in gpu compute-apps; do
		keys "--help-query-$kind" >"$WORK/keys"
		[ "$(wc -l <"$WORK/keys")" -gt 80 ]
		"$TT_SMI" --root "$WORK/tree" "--query-$kind=$(paste -sd, "$WORK/keys")" --format=csv,noheader >"$WORK/out"
		[ -s "$WORK/out" ]
	done
}

@test "the help lists every field of the tables" {
	tables=$(cd "$HERE" && "$PYTHON" -c 'import fields
for table in fields.device_fields(), fields.host_fields():
    for field in table:
        print(field.key, *field.aliases, sep="\n")')
	# After these come names of nvidia-smi that have no meaning here.
	same "$tables" "$(keys --help-query-gpu | sed '/^vgpu_driver_capability/,$d')"
}

@test "fields in documents and manual exist" {
	{ keys --help-query-gpu; keys --help-query-compute-apps; } | sort -u >"$WORK/keys"
	{
		# Words that look like fields: those with dots in backquotes, and lists in commands.
		grep -o '`[a-z_]\+\(\.[a-z_0-9]\+\)\+`' "$TOP/docs/output.md" | tr -d '`' |
			grep -v '\.\(json\|txt\|h\|1\|rpm\)$\|^limits\.\|^host_info\.'
		grep -oh 'query-\(gpu\|compute-apps\)=[a-z0-9_.,]*' "$TOP"/README.md "$TOP"/docs/*.md "$TOP/man/tt_smi.1" |
			sed 's/.*=//' | tr , '\n' | grep .
	} | sort -u >"$WORK/named"
	[ "$(wc -l <"$WORK/named")" -gt 15 ]
	run comm -13 "$WORK/keys" "$WORK/named"
	echo "no such field: $output"
	[ -z "$output" ]
}

# The words of the manual's text of a setting that are values.
@test "completions have the settings of the manual, and their values" {
	sed -n '/^Each line there is/,/^\.El/{s/^\.It Cm //p}' "$TOP/man/tt_smi.1" >"$WORK/names"
	[ "$(wc -l <"$WORK/names")" -ge 12 ]
	diff "$WORK/names" <(candidates "$TT_SMI" -w --set "" | tr -d =)
	while read -r name; do
		[ "$name" != refresh ] || continue # any number
		# "reading of the first chart: dram, power or compute": what follows the last colon.
		values=$(sed -n "/^\.It Cm $name\$/{n;s/([^)]*)//g;s/.*: //;s/,/ /g;s/ or / /g;p;}" "$TOP/man/tt_smi.1")
		echo "$name: $values"
		same "$(xargs -n 1 <<<"$values")" "$(candidates "$TT_SMI" -w --set "$name=" | sed 's/.*=//')"
	done <"$WORK/names"
	[ "$(candidates "$TT_SMI" -w --set sort=dr)" = sort=dram ]
	[ "$(candidates "$TT_SMI" -w --set columns=pid,own)" = columns=pid,owner ]
	same "$(candidates "$TT_SMI" -w --set view= | sed 's/.*=//')" "$(candidates "$TT_SMI" -w --view "")"
}

@test "completions have the faults of the manual" {
	same "$(sed -n 's/^\.It Cm \([a-z-]*\): Ns.*/\1:/p' "$TOP/man/tt_smi-sim.1")" "$(candidates "$TT_SMI" sim --fault "")"
	[ "$(candidates "$TT_SMI" sim --fault=no)" = --fault=no-telemetry: ]
	[ -z "$(candidates "$TT_SMI" sim --fault dead:)" ]
	[ -z "$(candidates "$TT_SMI" sim --workload "")" ]
}

# words_of PAGE BEGIN END: the words of .Cm between two lines of a manual.
words_of() {
	sed -n "/$2/,/$3/s/^\.Cm //p" "$TOP/man/$1" | tr -s ' ,' '\n' | grep '[a-z]'
}

@test "completions have the areas, limits and boards of the manuals" {
	same "$(words_of tt_smi-check.1 '^Only these areas' '^The default')" "$(candidates "$TT_SMI" check --only "")"
	[ "$(candidates "$TT_SMI" doctor --only pcie,dir)" = pcie,dirty ]
	same "$(sed -n '/^\.It Fl \\-warning/,/^\.It Fl \\-perfdata/s/^\.It Cm \(.*\)/\1=/p' "$TOP/man/tt_smi-check.1")" \
		"$(candidates "$TT_SMI" check --critical "")"
	same "$(words_of tt_smi-sim.1 '^A card is' '^A p300')" "$(candidates "$TT_SMI" sim -b "")"
}

@test "completions offer fields, devices, boards and values" {
	tree -b n150,p150a
	export TT_SMI_ROOT=$WORK/tree
	same "$(keys --help-query-gpu)" "$(candidates "$TT_SMI" --query-gpu= | sed 's/.*=//')"
	same "$(keys --help-query-compute-apps)" "$(candidates "$TT_SMI" --query-compute-apps "")"
	same $'all\n0\n1\n0000:01:00.0\n0000:02:00.0' "$(candidates "$TT_SMI" wait -i "")"
	same $'0\n0000:01:00.0\n0000:02:00.0' "$(candidates "$(dirname "$TT_SMI")/allocation_monitor_client" -d 0)"
	[ "$(candidates "$TT_SMI" select --board p)" = p150a ]
	[ "$(candidates "$TT_SMI" --format=csv,noh)" = --format=csv,noheader ]
	same $'--json=compact\n--json=pretty' "$(candidates "$TT_SMI" doctor --json=)"
	same $'overview\ngrid\nprocesses\nmemory\ndevice' "$(candidates "$TT_SMI" --view "")"
	same $'MEMORY,PCIE\nMEMORY,POWER\nMEMORY,PIDS' "$(candidates "$TT_SMI" -q -d MEMORY,P)"
	same $'p\nu\nc\nm\nt\ne\nv\nx' "$(candidates "$TT_SMI" dmon -s "")"
	same $'pucm\npuct\npuce\npucv\npucx' "$(candidates "$TT_SMI" dmon -s puc)"
	[ "$(candidates "$TT_SMI" fleet w)" = who ]
	same $'start\nstop\nstatus' "$(candidates "$TT_SMI" trace "")"
	[ "$(bash "$TOP/completions/tt_smi.bash" "$TT_SMI" run --devices 2 -- ls -)" = ":command 5" ]
	# The value of an option is no command.
	[ "$(candidates "$TT_SMI" -f mem -- --wat)" = --watch ]
}

# completes SHELL LINE WORDS: after Tab, the line consists of these words.
completes() {
	run env HOME="$WORK" XDG_RUNTIME_DIR="$WORK" PATH="$(dirname "$TT_SMI"):$PATH" TT_SMI_ROOT="$WORK/tree" \
		"$PYTHON" "$HERE/completion.py" "$1" "$TOP/completions" "$2" 3>&-
	echo "$1: $2: $output"
	[ "$output" = "$3" ]
}

in_shell() {
	command -v "$1" >/dev/null || skip "no $1 here"
	tree -b n150,p150a
	completes "$1" "tt_smi docto" "<tt_smi><doctor>"
	completes "$1" "tt_smi --wat" "<tt_smi><--watch>"
	completes "$1" "tt_smi mem --rea" "<tt_smi><mem><--read-only>"
	completes "$1" "tt_smi -i 0000:01" "<tt_smi><-i><0000:01:00.0>"
	completes "$1" "tt_smi --query-gpu=index,memory.tot" "<tt_smi><--query-gpu=index,memory.total>"
	completes "$1" "tt_smi -w --set vi" "<tt_smi><-w><--set><view=>"
	completes "$1" "tt_smi -w --set theme=col" "<tt_smi><-w><--set><theme=colorblind>"
	completes "$1" "tt_allocd --legacy-s" "<tt_allocd><--legacy-socket>"
	run env HOME="$WORK" XDG_RUNTIME_DIR="$WORK" PATH="$(dirname "$TT_SMI"):$PATH" "$PYTHON" "$HERE/completion.py" "$1" "$TOP/completions" "tt_smi ?" 3>&-
	echo "$output"
	[ "$status" = 0 ]
	[[ $output != *"tt_smi -"* ]]
}

@test "bash completes commands, options, fields and values" {
	in_shell bash
}

@test "zsh completes commands, options, fields and values" {
	in_shell zsh
}

@test "fish completes commands, options, fields and values" {
	in_shell fish
}
