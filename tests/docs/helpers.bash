# Common to the tests of the texts. CTest sets TT_SMI and TTSIM.

HERE=$BATS_TEST_DIRNAME
TOP=$(realpath "$HERE/../..")
TT_SMI=${TT_SMI:-$TOP/build/tt_smi}
TTSIM=${TTSIM:-$TOP/build/ttsim}
PYTHON=/usr/bin/python3 # the one that Debian's python3-jsonschema is for
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

setup() {
	WORK=$(mktemp -d)
}

teardown() {
	rm -rf --one-file-system "$WORK"
}

needs_jsonschema() {
	"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
}

# tree OPTIONS: a machine written once, below $WORK/tree.
tree() {
	"$TTSIM" --static --time 1763000000 "$@" "$WORK/tree"
}

# differs A B: says what is only in one of two lists of words, and fails if anything is.
same() {
	diff <(printf '%s\n' "$1" | sort -u) <(printf '%s\n' "$2" | sort -u)
}
