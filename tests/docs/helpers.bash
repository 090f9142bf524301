# Common to the tests of documents and manuals. CTest sets TT_SMI and TT_SMI_SIM.

load ../common

HERE=$BATS_TEST_DIRNAME
TOP=$(realpath "$HERE/../..")
TT_SMI=${TT_SMI:-$TOP/build/tt_smi}
TT_SMI_SIM=${TT_SMI_SIM:-$TOP/build/tt_smi-sim}
PYTHON=/usr/bin/python3 # the interpreter for which Debian's python3-jsonschema is installed
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

needs_jsonschema() {
	"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
}

# tree OPTIONS: writes the files of a simulated machine to $WORK/tree, replacing those of an earlier one.
tree() {
	[ ! -e "$WORK/tree" ] || remove "$WORK/tree"
	"$TT_SMI_SIM" --static --time 1763000000 "$@" "$WORK/tree"
}

# same A B: compares two lists of lines, ignoring their order, and prints the differences.
same() {
	diff <(printf '%s\n' "$1" | sort -u) <(printf '%s\n' "$2" | sort -u)
}
