#!/usr/bin/env bats
# The pictures of the full screen in docs/pictures/. After an intended change of the screen,
# scripts/pictures makes them again.
load helpers

BUILD=$(dirname "$TT_SMI")

shown() {
	grep -o 'pictures/[a-z]*\.svg' -h "$TOP/README.md" "$TOP/docs/output.md" | sort -u
}

@test "every picture is shown by a page, and every shown picture exists" {
	diff <(shown) <(cd "$TOP" && ls docs/pictures/*.svg | sed "s,^docs/,,")
	[ "$(shown | wc -l)" -ge 4 ]
}

@test "pictures are screens of this build" {
	command -v tmux >/dev/null || skip "no tmux here"
	[ -z "${TT_SANITIZE:-}" ] || skip "a sanitizer has its own clock_gettime()"
	[ -e "$BUILD/tests/tui/tui_clocked" ] || skip "this build has no full screen"
	"$TOP/scripts/pictures" "$BUILD" "$WORK/pictures" 3>&-
	diff -r "$WORK/pictures" "$TOP/docs/pictures" || {
		echo "if that is meant: scripts/pictures $BUILD"
		false
	}
}

@test "pictures are small and self-contained" {
	for picture in "$TOP"/docs/pictures/*.svg; do
		"$PYTHON" - "$picture" <<'P'
import sys, xml.dom.minidom
text = open(sys.argv[1], encoding="utf-8").read()
xml.dom.minidom.parseString(text)
assert len(text) < 150000, len(text)
for word in ("href", "url(", "<script", "<image", "@import", "\x1b"):
    assert word not in text, word
P
	done
}

# draw LINE...: the picture of these lines, ten cells wide.
draw() {
	printf '%b\n' "$@" | (cd "$TOP/scripts" && "$PYTHON" -c '
import sys, screen_svg
print(screen_svg.draw(sys.stdin.read(), 10, "a title"))')
}

@test "text is as wide as its cells, and keeps its colour from line to line" {
	draw 'ab  c\e[31;1md' 'e\e[0m<f' >"$WORK/svg"
	cat "$WORK/svg"
	grep -q '<text x="0" textLength="16.8" y="13">ab</text>' "$WORK/svg"
	grep -q '<text x="33.6" textLength="8.4" y="13">c</text>' "$WORK/svg"
	grep -q '<text x="42" textLength="8.4" y="13" fill="#e06c75" font-weight="700">d</text>' "$WORK/svg"
	grep -q '<text x="0" textLength="8.4" y="31" fill="#e06c75" font-weight="700">e</text>' "$WORK/svg"
	grep -q '<text x="8.4" textLength="16.8" y="31">&lt;f</text>' "$WORK/svg"
}

@test "backgrounds, reverse video, blocks, lines and braille are drawn" {
	draw '\e[48;5;16ma\e[0m\e[7mb\e[0m██░─│⣀⣤' >"$WORK/svg"
	cat "$WORK/svg"
	grep -q '<path fill="#000000" d="M0 0h8.4v18H0z"/>' "$WORK/svg"
	grep -q '<path fill="#d3d9e3" d="M8.4 0h8.4v18H8.4z"/>' "$WORK/svg"
	grep -q 'fill-opacity="1" d="M16.8 1h16.8v16H16.8z"' "$WORK/svg"
	grep -q 'fill-opacity="0.22" d="M33.6 1h8.4v16H33.6z"' "$WORK/svg"
	grep -q 'stroke="#d3d9e3" fill="none" d="M42 9H50.4M54.6 0V18"' "$WORK/svg"
	# One dot in each column, then two.
	grep -q 'd="M60.9 14.5V16.9M65.1 14.5V16.9M69.3 10V16.9M73.5 10V16.9"' "$WORK/svg"
	not grep -q '<text[^>]*>[█░─│⣀⣤]' "$WORK/svg"
}
