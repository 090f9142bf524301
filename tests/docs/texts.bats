#!/usr/bin/env bats
# README, documents and manual: samples, links, commands.
load helpers

# The lines of README.md between fences, without those of a named language.
blocks() {
	awk '/^```/ { inside = !inside; plain = $0 == "```"; next } inside && plain' "$TOP/README.md"
}

@test "lines of the sample in the README are of equal width" {
	blocks | "$PYTHON" -c '
import sys, unicodedata
lines = [line.rstrip("\n") for line in sys.stdin if line[0] in "┌├│└"]
width = lambda line: sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
assert len(lines) > 10, lines
assert {width(line) for line in lines} == {102}, [line for line in lines if width(line) != 102]'
}

@test "the sample in the README has the headings, the tip and the version of today" {
	tree -w dev=0,dram=1G,util=500
	"$TT_SMI" --root "$WORK/tree" >"$WORK/table"
	for line in "│ GPU Name " "│ PID     Name "; do
		grep -F "$line" "$WORK/table" >"$WORK/heading"
		[ -s "$WORK/heading" ]
		blocks | grep -qxFf "$WORK/heading"
	done
	"$TT_SMI_SIM" -- "$TT_SMI" 3>&- | sed -n '/TIP/,$p' >"$WORK/tip"
	diff "$WORK/tip" <(awk '/^```/ && inside { exit } inside; /^```/ { inside = 1 }' "$TOP/README.md" | sed -n '/TIP/,$p')
	version=$("$TT_SMI" --version | cut -d' ' -f2)
	blocks | grep -qF "tt-smi $version "
}

@test "headings of the README that the program names exist" {
	grep -rhoE '\\"[^"\\]*\\" in the README' "$TOP/src" | sed 's/^\\"//; s/\\".*//' >"$WORK/named" || true
	echo "Process shows but no memory" >>"$WORK/named"
	while read -r heading; do
		echo "$heading"
		grep -q "^### $heading" "$TOP/README.md"
	done <"$WORK/named"
}

# Without its comment; what would go on for ever ends after one sample.
end_soon() {
	set -- "$(sed 's/ *#.*//' <<<"$1")"
	case " $1 " in
	*" --once "* | *" --dump "*) echo "$1" ;;
	*"tt_smi -w "* | *"tt_smi mem "*) echo "$1 -n 1" ;;
	*) echo "$1" ;;
	esac
}

@test "commands of tt_smi in the README work" {
	tree -w dev=0,dram=1G
	blocks | grep '^\./build/tt_smi' | grep -v '^\./build/tt_smi sim' >"$WORK/commands"
	[ "$(wc -l <"$WORK/commands")" -ge 8 ]
	while read -r command; do
		command=$(end_soon "$command")
		echo "$command"
		status=0
		(cd "$WORK" && TT_SMI_ROOT="$WORK/tree" bash -c "${command//.\/build\/tt_smi/\"$TT_SMI\"}" >out </dev/null) || status=$?
		# No server is here, which is what some of them ask for.
		[ "$status" = 16 ] || { [ "$status" = 0 ] && [ -s "$WORK/out" ]; }
	done <"$WORK/commands"
}

@test "commands of tt_smi sim in the README work" {
	blocks | grep '^\./build/tt_smi sim' >"$WORK/commands"
	[ "$(wc -l <"$WORK/commands")" -ge 2 ]
	while read -r command; do
		command=$(end_soon "$command")
		echo "$command"
		bash -c "${command//.\/build\/tt_smi/\"$TT_SMI\"}" >"$WORK/out" </dev/null 3>&-
		grep -q SIMULATED "$WORK/out"
	done <"$WORK/commands"
}

@test "files that the documents name exist" {
	for text in "$TOP"/README.md "$TOP"/docs/*.md; do
		grep -o '`\(src\|sim\|tests\|docs\|man\|completions\|scripts\|include\|cmake\|fuzz\|bench\)/[A-Za-z0-9_./-]*`' "$text" |
			tr -d '`' | while read -r name; do
			echo "$text: $name"
			[ -e "$TOP/$name" ]
		done
	done
}

@test "links within the documents lead somewhere" {
	for text in "$TOP"/README.md "$TOP"/docs/*.md; do
		grep -o '](\([^)]*\))' "$text" | sed 's/^](//;s/)$//' | grep -v '^[a-z]*:' |
			while read -r link; do
				echo "$text: $link"
				[ -e "$(dirname "$text")/${link%%#*}" ]
			done
	done
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

@test "sources that the README lists are those that are asked, in that order" {
	asked=$(sed -n 's/^\t&source_\([a-z_]*\),.*/\1/p' "$TOP/src/source/sources.c")
	listed=$(sed -n '/^| source | tells/,/^$/s/^| `\([a-z_]*\)` |.*/\1/p' "$TOP/README.md")
	[ -n "$asked" ]
	diff <(echo "$asked") <(echo "$listed")
}

@test "statuses that the README explains are those of the program" {
	for status in "Reports itself" "Connected to server" "Preloaded" "Traced" "TT-Metal counters" "Device open (no tracking)" \
		"Device open (opener exited)" "Stale (gone), not counted" "Out of sight, not counted"; do
		echo "$status"
		grep -rqF "\"$status\"" "$TOP/src/render"
		grep -qF "| \`$status\` |" "$TOP/README.md"
	done
}
