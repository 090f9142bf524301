#!/usr/bin/env bats
# README, documents and manual: samples, links and commands in them.
load helpers

# blocks FILE...: the lines between fences, without those of a named language.
blocks() {
	(cd "$TOP" && awk '/^```/ { inside = !inside; plain = $0 == "```"; next } inside && plain' "$@")
}

PAGES=(README.md docs/options.md docs/output.md docs/sources.md docs/memory.md docs/simulator.md docs/troubleshooting.md)

@test "the README has at most 200 lines" {
	[ "$(wc -l <"$TOP/README.md")" -le 200 ]
}

@test "the index of docs/ names every page" {
	for page in "$TOP"/docs/*.md "$TOP"/docs/*.json; do
		name=$(basename "$page")
		echo "$name"
		[ "$name" = README.md ] || grep -qF "($name)" "$TOP/docs/README.md"
	done
}

@test "lines of the sample table are of equal width" {
	blocks docs/output.md | "$PYTHON" -c '
import sys, unicodedata
lines = [line.rstrip("\n") for line in sys.stdin if line[0] in "┌├│└"]
width = lambda line: sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
assert len(lines) > 10, lines
assert {width(line) for line in lines} == {102}, [line for line in lines if width(line) != 102]'
}

@test "the sample table has the headings, the tip and the version of the program" {
	tree -w dev=0,dram=1G,util=500
	"$TT_SMI" --root "$WORK/tree" >"$WORK/table"
	for line in "│ GPU Name " "│ PID     Name "; do
		grep -F "$line" "$WORK/table" >"$WORK/heading"
		[ -s "$WORK/heading" ]
		blocks docs/output.md | grep -qxFf "$WORK/heading"
	done
	"$TT_SMI_SIM" -- "$TT_SMI" 3>&- | sed -n "s|$TT_SMI|tt_smi|; /TIP/,\$p" >"$WORK/tip"
	# The tip names the tracer only if it was built.
	diff <(grep -v 'trace start$' "$WORK/tip") <(grep -v 'trace start$' <(awk '/^```/ && inside { exit } inside; /^```/ { inside = 1 }' "$TOP/docs/output.md" | sed -n '/TIP/,$p'))
	version=$("$TT_SMI" --version | cut -d' ' -f2)
	blocks docs/output.md | grep -qF "tt-smi $version "
}

# Headings for which people search.
@test "troubleshooting has a section for each question" {
	for heading in "No processes using Tenstorrent devices" "Allocation server not running" \
		"Temperature or power shows N/A" "Process shows but no memory"; do
		echo "$heading"
		grep -qx "## $heading" "$TOP/docs/troubleshooting.md"
	done
}

# end_soon COMMAND: removes the comment, and makes commands that run for ever end after one sample.
end_soon() {
	set -- "$(sed 's/ *#.*//' <<<"$1")"
	case " $1 " in
	*" --once "* | *" --dump "*) echo "$1" ;;
	*"tt_smi -w "* | *"tt_smi mem "*) echo "$1 -n 1" ;;
	*) echo "$1" ;;
	esac
}

@test "commands of tt_smi in the documents work" {
	tree -w dev=0,dram=1G
	blocks "${PAGES[@]}" | grep '^\./build/tt_smi' | grep -v 'tt_smi \(sim\|run\|fleet -w\) ' | sort -u >"$WORK/commands"
	[ "$(wc -l <"$WORK/commands")" -ge 15 ]
	# A port on which no server listens: tt_smi fleet ends with 16, or 3 where it was not built.
	export TT_SMI_PROMETHEUS=http://127.0.0.1:1
	while read -r command; do
		command=$(end_soon "$command")
		echo "$command"
		status=0
		(cd "$WORK" && TT_SMI_ROOT="$WORK/tree" bash -c "${command//.\/build\/tt_smi/\"$TT_SMI\"}" >out </dev/null) || status=$?
		expected='^0$'
		[[ $command != *" check"* && $command != *" doctor"* ]] || expected='^[0125]$' # findings
		[[ $command != *" fleet"* ]] || expected='^(3|16)$'
		# 16: some commands need an allocation server, and none runs here.
		[ "$status" = 16 ] || [[ $status =~ $expected ]]
		[[ $status == @(3|16) ]] || [ -s "$WORK/out" ]
	done <"$WORK/commands"
}

@test "commands of tt_smi sim in the documents work" {
	# --fleet serves until it is ended: serve/fleet.
	blocks "${PAGES[@]}" | grep '^\./build/tt_smi sim' | grep -v -e ' --fleet ' | sort -u >"$WORK/commands"
	[ "$(wc -l <"$WORK/commands")" -ge 5 ]
	while read -r command; do
		[[ $command != *"-- bash" ]] || command="$command -c ./build/tt_smi"
		command=$(end_soon "$command")
		echo "$command"
		bash -c "${command//.\/build\/tt_smi/\"$TT_SMI\"}" >"$WORK/out" </dev/null 3>&-
		grep -q SIMULATED "$WORK/out"
	done <"$WORK/commands"
}

@test "files named in the documents exist" {
	for text in "$TOP"/*.md "$TOP"/docs/*.md; do
		grep -o '`\(src\|sim\|tests\|docs\|man\|completions\|scripts\|include\|cmake\|fuzz\|bench\)/[A-Za-z0-9_./-]*`' "$text" |
			tr -d '`' | while read -r name; do
			echo "$text: $name"
			[ -e "$TOP/$name" ]
		done
	done
}

# anchors FILE: what links to its headings contain after "#".
anchors() {
	sed -n '/^```/,/^```/d; s/^##* //p' "$1" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9_\n-'
}

@test "links within the documents have a target" {
	for text in "$TOP"/*.md "$TOP"/docs/*.md; do
		grep -o '](\([^)]*\))' "$text" | sed 's/^](//;s/)$//' | grep -v '^[a-z]*:' |
			while read -r link; do
				echo "$text: $link"
				target=$(dirname "$text")/${link%%#*}
				[ -n "${link%%#*}" ] || target=$text
				[ -e "$target" ]
				[[ $link != *"#"* ]] || anchors "$target" | grep -qxF -- "${link#*#}"
			done
	done
}

# Markdown takes "80. A wider table" at the beginning of a line for an item of a list.
@test "no number at the beginning of a line makes a list of a paragraph" {
	awk 'FNR == 1 { code = 0; before = "" }
		/^ *```/ { code = !code }
		!code && /^[0-9]+[.)] / && before ~ /^[^ #|]/ && before !~ /^[0-9]+[.)] / { print FILENAME ":" FNR ": " $0; bad = 1 }
		{ before = $0 }
		END { exit bad }' "$TOP"/*.md "$TOP"/docs/*.md "$TOP"/examples/*/*.md
}

@test "the manual has no warnings" {
	command -v man >/dev/null || skip "no man here"
	for page in "$TOP"/man/*.1; do
		MANWIDTH=80 man --warnings -E UTF-8 -l "$page" 2>"$WORK/warnings" >"$WORK/page"
		echo "$page: $(cat "$WORK/warnings")"
		[ -s "$WORK/page" ]
		[ ! -s "$WORK/warnings" ]
	done
}

@test "docs/sources.md lists the sources of the program, in their order" {
	asked=$(sed -n 's/^\t&source_\([a-z_]*\),.*/\1/p' "$TOP/src/source/sources.c")
	listed=$(sed -n '/^| source | provides/,/^$/s/^| `\([a-z_]*\)` |.*/\1/p' "$TOP/docs/sources.md")
	[ -n "$asked" ]
	diff <(echo "$asked") <(echo "$listed")
}

@test "statuses that docs/sources.md explains are those of the program" {
	for status in "Reports itself" "Connected to server" "Preloaded" "Traced" "TT-Metal counters" "Device open (no tracking)" \
		"Device open (opener exited)" "Stale (gone), not counted" "Out of sight, not counted"; do
		echo "$status"
		grep -rqF "\"$status\"" "$TOP/src/render"
		grep -qF "| \`$status\` |" "$TOP/docs/sources.md"
	done
}

@test "packages that a message says to install are those of the build" {
	local package count=0
	while read -r package; do
		echo "$package"
		grep -qx -- "$package" "$TOP/packages.txt"
		count=$((count + 1))
	done < <(grep -oE '\w+[a-z0-9-]*-dev' "$TOP/src/basic/optional_part.c")
	[ "$count" -ge 6 ]
	while read -r package; do
		echo "$package"
		grep -q -- "[^a-z]$package" "$TOP/src/basic/optional_part.c"
	done < <(sed -n '/WARNING/s/.*WARNING//p' "$TOP/src/CMakeLists.txt" "$TOP/cmake/trace.cmake" "$TOP/sim/CMakeLists.txt" |
		grep -oE '[a-z0-9]+[a-z0-9-]*-dev')
}
