#!/usr/bin/env bats
# docs/schema.json agrees with the field tables, and real documents match it.
load helpers

@test "the schema matches the tables of src/model" {
	"$PYTHON" "$HERE/schema.py"
}

# valid OPTIONS: the document of a simulated machine matches the schema.
valid() {
	tree "$@"
	"$TT_SMI" --root "$WORK/tree" --json >"$WORK/json"
	echo "tt_smi sim $*"
	"$PYTHON" "$HERE/validate.py" <"$WORK/json"
}

@test "a document has the unit of every reading" {
	tree -b n150
	"$TT_SMI" --root "$WORK/tree" --json >"$WORK/json"
	(cd "$HERE" && "$PYTHON" - "$WORK/json" <<'P')
import json, re, sys
import fields
names, units = fields.unit_names(), json.load(open(sys.argv[1]))["units"]
for field in filter(lambda field: field.json, fields.device_fields()):
    kind = "rate" if field.json.endswith("_rate") else re.split("[._]", field.json)[0]
    if names[field.unit]:
        assert units.get(field.json, units.get(kind)) == names[field.unit], field.json
P
}

@test "documents of all boards match the schema" {
	needs_jsonschema
	valid -b n150,n300,-,p100a,p150a,p150b,p150c,p300,p300b,p300c
	valid -b galaxy-wormhole
	valid -b galaxy-blackhole
}

@test "documents with processes match the schema" {
	needs_jsonschema
	valid -w dev=0+1,dram=1G,l1=1M,l1_small=1K,trace=1M,cb=1M,util=500,name=a \
		-w dev=1,via=none,name=b,uid=4711,cgroup=/kubepods.slice/x
}

@test "documents of old drivers and firmware, and of failing chips, match the schema" {
	needs_jsonschema
	valid -b n150 --driver 1.27
	valid --driver 2.4.0
	valid --firmware 18.0.0.0
	valid --fault dead:0 --fault no-telemetry:1
	valid -b n150,p150a,p150a --fault unbound:1 --fault vfio:2 -w dev=0,dram=1G
	valid --fault missing:0/tt_asic_id --fault set:1/temp1_input=junk -w dev=0,dram=1G
}

@test "documents of recorded machines match the schema" {
	needs_jsonschema
	for recorded in "$TOP"/tests/trees/*; do
		if [ -d "$recorded/sys/class/tenstorrent" ]; then
			echo "$recorded"
			"$TT_SMI" --root "$recorded" --json >"$WORK/json" || [ $? = 15 ]
			"$PYTHON" "$HERE/validate.py" <"$WORK/json"
		fi
	done
}

@test "documents of a live simulated machine, one per line, match the schema" {
	needs_jsonschema
	"$TT_SMI_SIM" -- "$TT_SMI" --json -lms 200 -n 3 >"$WORK/json" 3>&-
	[ "$(wc -l <"$WORK/json")" = 3 ]
	run "$PYTHON" "$HERE/validate.py" <"$WORK/json"
	echo "$output"
	[ "$output" = 3 ]
}

@test "a document with an extra or a missing key does not match" {
	needs_jsonschema
	tree
	"$TT_SMI" --root "$WORK/tree" --json >"$WORK/json"
	for change in '.devices[0].color = 1' 'del(.devices[0].memory.used)' '.devices[0].power = "23W"' \
		'.devices[0].unavailable["fan.rpm"] = "because"'; do
		run "$PYTHON" "$HERE/validate.py" < <(jq -c "$change" "$WORK/json")
		echo "$change: $output"
		[ "$status" != 0 ]
	done
}
