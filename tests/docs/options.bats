#!/usr/bin/env bats
# Options and fields: help, manual, documents and completions agree.
load helpers

TEXTS="man/tt_smi.1 docs/options.md completions/tt_smi.bash completions/_tt_smi"

@test "every option of the help is in manual, documents and completions" {
	"$TT_SMI" --help | "$PYTHON" "$HERE/options.py" help >"$WORK/help"
	for text in $TEXTS; do
		"$PYTHON" "$HERE/options.py" "$TOP/$text" >"$WORK/text"
		run comm -23 "$WORK/help" "$WORK/text"
		echo "not in $text: $output"
		[ -z "$output" ]
	done
}

@test "manual, documents and completions name the same options" {
	"$PYTHON" "$HERE/options.py" "$TOP/man/tt_smi.1" >"$WORK/manual"
	for text in $TEXTS; do
		"$PYTHON" "$HERE/options.py" "$TOP/$text" >"$WORK/text"
		echo "man/tt_smi.1 and $text:"
		diff "$WORK/manual" "$WORK/text"
	done
}

@test "every option that a text names is known to the program" {
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

# options_agree MANUAL FUNCTION ZSH COMMAND...: what the command's help, generated from its table of
# options, says is what its manual page and its completions have.
options_agree() {
	local manual=$1 function=$2 zsh=$3
	shift 3
	"$@" --help >"$WORK/text"
	[ "$(wc -L <"$WORK/text")" -le 80 ]
	"$PYTHON" "$HERE/options.py" help <"$WORK/text" >"$WORK/help"
	for text in "man/$manual items" "completions/tt_smi.bash $function" "completions/$zsh"; do
		echo "help of $* and $text:"
		# shellcheck disable=SC2086 # two words
		"$PYTHON" "$HERE/options.py" "$TOP"/$text >"$WORK/text"
		diff "$WORK/help" "$WORK/text"
	done
}

@test "options of every command and program are in its manual and completions" {
	options_agree tt_smi-mem.1 _tt_smi_mem _tt_smi_mem "$TT_SMI" mem
	options_agree tt_smi-run.1 _tt_smi_run _tt_smi_run "$TT_SMI" run
	options_agree tt_smi-doctor.1 _tt_smi_doctor _tt_smi_doctor "$TT_SMI" doctor
	options_agree tt_smi-sim.1 _tt_smi_sim _tt_smi_sim "$TT_SMI" sim
	options_agree tt_allocd.8 _tt_allocd _tt_allocd "$(dirname "$TT_SMI")/tt_allocd"
	if [ -e "$(dirname "$TT_SMI")/tt_smi-trace" ]; then
		options_agree tt_smi-trace.1 _tt_smi_trace _tt_smi_trace "$TT_SMI" trace
	fi
}

@test "every command is in manual and completions" {
	commands=$("$TT_SMI" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
	[ "$(wc -w <<<"$commands")" -ge 6 ]
	for command in $commands; do
		for text in man/tt_smi.1 completions/tt_smi.bash completions/_tt_smi; do
			echo "$command in $text"
			grep -qE "(Cm |[( \"])$command( |\)|\"|$)" "$TOP/$text"
		done
	done
}

# The sections that -d knows, as its error message lists them.
@test "manual, documents and completions have the sections of -d" {
	sections=$("$TT_SMI" -q -d NONE 2>&1 | sed 's/.*there are //') || true
	[ "$(wc -w <<<"$sections")" -ge 10 ]
	for section in $sections; do
		for text in $TEXTS; do
			echo "$section in $text"
			grep -qw "$section" "$TOP/$text"
		done
	done
}

@test "manual, README and help have the exit codes of src/basic/exit_code.h" {
	codes=$(sed -n 's/.*EXIT_[A-Z_]* = \([0-9]*\),.*/\1/p' "$TOP/src/basic/exit_code.h")
	[ "$(wc -w <<<"$codes")" -ge 8 ]
	same "$codes" "$(sed -n '/^\.Sh EXIT STATUS/,/^\.El/s/^\.It \([0-9]*\)$/\1/p' "$TOP/man/tt_smi.1")"
	same "$codes" "$(sed -n '/^## Scripts and CI/,/^## More/s/^| \([0-9]*\) |.*/\1/p' "$TOP/README.md")"
	same "$codes" "$("$TT_SMI" --help | sed -n '/^Exit status/,/^$/p' | grep -o '[0-9]\+')"
}

@test "exit codes of every manual page are those of src/basic/exit_code.h" {
	codes=$(sed -n 's/.*EXIT_[A-Z_]* = \([0-9]*\),.*/\1/p' "$TOP/src/basic/exit_code.h")
	for page in "$TOP"/man/*.1; do
		listed=$(sed -n '/^\.Sh EXIT STATUS/,/^\.Sh [^E]/s/^\.It \([0-9]*\)$/\1/p' "$page")
		run comm -13 <(sort -u <<<"$codes") <(sort -u <<<"$listed" | grep .)
		echo "$page: $output"
		[ -z "$output" ]
	done
}

# keys OPTION: every name that a list of fields has, aliases too.
keys() {
	"$TT_SMI" "$1" | sed -n '/^"/{s/" or "/\n/g;s/"//g;p;}'
}

@test "every field that the help lists can be asked for" {
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
	same "$tables" "$(keys --help-query-gpu)"
}

@test "fields that documents and manual name exist" {
	{ keys --help-query-gpu; keys --help-query-compute-apps; } | sort -u >"$WORK/keys"
	{
		# What looks like a field: words with dots in backquotes; lists in commands.
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

@test "bash completes options, fields and values" {
	tree -b n150,p150a
	run env TT_SMI_ROOT="$WORK/tree" bash -c '
		source "$1/completions/tt_smi.bash"
		try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tt_smi; echo "${COMPREPLY[*]}"; }
		try "$2" --wat
		try "$2" --query-gpu = index,memory.tot
		try "$2" --format = csv,noh
		try "$2" --json = p
		try "$2" -i 0000:01
		try "$2" -d POWER,UTI' - "$TOP" "$TT_SMI"
	echo "$output"
	[ "${lines[0]}" = --watch ]
	[ "${lines[1]}" = index,memory.total ]
	[ "${lines[2]}" = csv,noheader ]
	[ "${lines[3]}" = pretty ]
	[ "${lines[5]}" = POWER,UTILIZATION ]
}

@test "zsh can read its completion" {
	command -v zsh >/dev/null || skip "no zsh here"
	for text in "$TOP"/completions/_*; do
		zsh -n "$text"
	done
}
