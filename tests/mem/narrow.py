"""narrow.py WIDTH: checks that no line of standard input has more characters. The monitor writes none of double width."""

import sys

width = int(sys.argv[1])
wide = [line for line in sys.stdin.read().splitlines() if len(line) > width]
sys.exit("\n".join(wide) if wide else 0)
