# Common to the tests of the texts. CTest sets TT_SMI and TT_SMI_SIM.

load ../common

HERE=$BATS_TEST_DIRNAME
TOP=$(realpath "$HERE/../..")
TT_SMI=${TT_SMI:-$TOP/build/tt_smi}
TT_SMI_SIM=${TT_SMI_SIM:-$TOP/build/tt_smi-sim}
PYTHON=/usr/bin/python3 # the one that Debian's python3-jsonschema is for
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

needs_jsonschema() {
	"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
}

# tree OPTIONS: a machine written once, below $WORK/tree, in the place of an earlier one.
tree() {
	[ ! -e "$WORK/tree" ] || remove "$WORK/tree"
	"$TT_SMI_SIM" --static --time 1763000000 "$@" "$WORK/tree"
}

# same A B: two lists of lines hold the same, in any order; else says what differs.
same() {
	diff <(printf '%s\n' "$1" | sort -u) <(printf '%s\n' "$2" | sort -u)
}
