# For tests on the machine that stage.sh makes: its own mount namespace, and scenarios in Python.

setup() {
	# Not below /dev, which stage.sh replaces.
	WORK=$(mktemp -d -p "/tmp/${TT_TEST_RUN:-}")
	D=$WORK/stage
	SIM=
	STARTED=
	mkdir "$D"
	chmod 755 "$WORK"
	needs_mounts
	cp "$TT_SMI" "$WORK/tt_smi" # where any user may run it
}

# scenario NAME [OPTIONS OF TT_SMI_SIM]
scenario() {
	local name=$1
	shift
	run private "$HERE/stage.sh" "$D" "$TT_SMI_SIM" "$@" -- python3 "$HERE/${SCENARIOS:-holders}.py" "$name" "$WORK/tt_smi" 3>&-
	echo "$output"
	if [[ "$output" = *SKIP:* ]]; then skip "${output#*SKIP: }"; fi
	[ "$status" = 0 ]
}
