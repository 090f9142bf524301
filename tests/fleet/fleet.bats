#!/usr/bin/env bats
# tt_smi fleet with a real Prometheus that scrapes simulated machines.

load helpers

# Three machines whose files do not change. Machine b lacks a device; tests stop c.
three_machines() {
	D=$WORK/a
	machine -b n300,p150a -w dev=0,dram=3G,l1=2M,name=train -w dev=1,via=none
	add_machine node-a 'rack: "1"' --expect 2
	D=$WORK/b
	machine -b p150a -w dev=0,dram=1G,name=infer
	add_machine node-b 'rack: "2"' --expect 2
	D=$WORK/c
	machine -b n150 --no-workloads
	add_machine node-c:7762 'rack: "2"'
}

complete() {
	document '[.totals.machines, .totals.devices_up, .totals.incomplete - ["jobs", "users"]]' '[3,4,["devices_expected"]]'
}

@test "table, JSON and CSV have the values of the machines, and the same totals" {
	three_machines
	prometheus "$(alerting_rules)"
	eventually complete
	eventually document '[.machines[] | select(.alerts | length > 0) | .machine]' '["node-b"]'
	fleet --json=compact >"$WORK/json"
	fleet --csv >"$WORK/csv"
	fleet >"$WORK/table"
	cat "$WORK/table"
	for name in a b c; do
		"$TT_SMI" --root "$WORK/$name" --json=compact
	done >"$WORK/machines"
	"$PYTHON" - "$WORK" <<-'END'
		import csv, json, math, sys
		work = sys.argv[1]
		fleet = json.load(open(work + "/json"))
		rows = {row["machine"]: row for row in csv.DictReader(open(work + "/csv"))}
		own = dict(zip("abc", map(json.loads, open(work + "/machines"))))
		assert [m["machine"] for m in fleet["machines"]][0] == "node-b"  # first, since it has an alert
		for machine in fleet["machines"]:
		    devices = own[machine["machine"][-1]]["devices"]
		    local = [d for d in devices if isinstance(d["id"], int)]  # those on PCIe
		    assert machine["has_data"] and machine["devices"] == machine["devices_up"] == len(local)
		    assert math.isclose(machine["power"], sum(d["power"] or 0 for d in devices))
		    assert math.isclose(machine["temperature"], max(d["temperature"] or 0 for d in devices), abs_tol=0.01)
		    assert machine["dram_size"] == sum(d["memory"]["total"] for d in devices)
		    assert machine["dram_used"] == sum(d["memory"]["used"] or 0 for d in devices)
		    row = rows[machine["machine"]]
		    for key in row.keys() & machine.keys() - {"alerts"}:
		        text = str(int(machine[key]) if isinstance(machine[key], bool) else "" if machine[key] is None else machine[key])
		        assert row[key] == text or float(row[key]) == float(text), (key, row[key], text)
		    assert int(row["alerts"]) == len(machine["alerts"])
		totals = fleet["totals"]
		for key in ("devices", "devices_up", "power", "dram_used", "dram_size", "l1_size", "job_holders"):
		    assert math.isclose(totals[key], sum(float(row[key] or 0) for row in rows.values())), key
		assert totals["temperature"] == max(float(row["temperature"]) for row in rows.values())
		assert totals["alerts"] == sum(int(row["alerts"]) for row in rows.values()) == 1
		text = open(work + "/table").read()
		assert f"3 machines   {totals['devices_up']} of {totals['devices_target']} devices up" in text
		assert f"{totals['power']:.0f}W" in text and "1 alert" in text
		assert f"hottest {totals['temperature']:.0f}°C ({totals['hottest']['machine']}/{totals['hottest']['device']})" in text
	END
	# One job of node-a is not tracked: its memory, and so the sum, is a lower bound.
	grep -q '^node-a .*≥' "$WORK/table"
	grep -q 'DRAM ≥' "$WORK/table"
	grep -q '^node-b .*1/2.*device missing' "$WORK/table"
	grep -q '^node-c  .*1/1.*-$' "$WORK/table"
}

@test "the document matches its schema" {
	"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
	three_machines
	prometheus "$(alerting_rules)"
	eventually complete
	eventually document '.totals.alerts' 1
	fleet --json >"$WORK/json"
	fake hostile
	fleet --json >>"$WORK/json"
	"$PYTHON" - "$TOP/docs/fleet-schema.json" "$WORK/json" <<-'END'
		import json, jsonschema, sys
		schema = json.load(open(sys.argv[1]))
		jsonschema.Draft202012Validator.check_schema(schema)
		for line in open(sys.argv[2]):
		    jsonschema.validate(json.loads(line), schema, jsonschema.Draft202012Validator)
		document = json.loads(line)
		document["machines"][0]["extra"] = 1
		try:
		    jsonschema.validate(document, schema, jsonschema.Draft202012Validator)
		except jsonschema.ValidationError:
		    sys.exit(0)
		sys.exit("an extra key is accepted")
	END
}

@test "recording rules and the series themselves give the same result" {
	three_machines
	prometheus "$(alerting_rules)"
	raw=$URL
	eventually complete
	eventually document '.totals.alerts' 1
	prometheus "$WORK/rules.yml" "$TOP/share/prometheus/tt_smi.recording.yml"
	eventually complete
	eventually document '[.from_recording_rules, .totals.alerts]' '[true,1]'
	# Waits until all rules were evaluated after the last scrape.
	eventually same_documents
	URL=$raw
	document .from_recording_rules false
}

same_documents() {
	diff <(URL=$raw fleet --json=pretty | grep -v '"time"\|"server"\|"from_recording_rules"') \
		<(fleet --json=pretty | grep -v '"time"\|"server"\|"from_recording_rules"')
}

@test "recording rules that leave out machines are not used" {
	three_machines
	sed 's/expr: ttsmi_devices$/expr: ttsmi_devices{rack="1"}/' "$TOP/share/prometheus/tt_smi.recording.yml" >"$WORK/recording.yml"
	prometheus "$WORK/recording.yml"
	eventually recorded 'count(instance:ttsmi_devices:count)' 1
	eventually recorded 'count(count by (instance) (instance:ttsmi_holders:sum))' 3
	eventually complete
	document '[.from_recording_rules, .totals.devices]' '[false,4]'
	[ "$(fleet --json --match 'rack="1"' | jq -c '[.from_recording_rules, .totals.devices]')" = '[true,2]' ]
}

@test "machines are chosen by labels and by patterns of their names" {
	three_machines
	prometheus
	eventually complete
	[ "$(fleet --json --match 'rack="2"' | jq -c '[.machines[].machine] | sort')" = '["node-b","node-c"]' ]
	[ "$(fleet --json --match 'rack=~"1|2"' --match 'instance!="node-b"' | jq -c '[.machines[].machine] | sort')" = '["node-a","node-c"]' ]
	[ "$(fleet --csv 'node-[ab]' | tail -n +2 | cut -d, -f1 | sort | paste -sd' ')" = "node-a node-b" ]
	[ "$(fleet --json node-c | jq -c '[.totals.machines, .totals.devices]')" = '[1,1]' ]
	[ "$(fleet --json --match 'rack="2"' 'node-a' 'node-b' | jq -c '[.machines[].machine]')" = '["node-b"]' ]
	run fleet --match 'rack="3"'
	[ "$status" = 6 ] && [[ $output == "tt_smi: $URL: no machine matches" ]]
	run fleet --match 'rack=~"("'
	[ "$status" = 16 ] && [[ $output == *"the server refuses the query: "* ]]
}

@test "without alerting rules alerts are unknown, not 0" {
	three_machines
	prometheus
	eventually complete
	document '[.totals.alerts, .machines[0].alerts]' '[null,null]'
	fleet >"$WORK/table"
	grep -q 'alerts N/A' "$WORK/table"
	not grep -q '0 alerts' "$WORK/table"
	prometheus "$(alerting_rules)"
	eventually document '.totals.machines == 3 and .totals.alerts != null' true
}

@test "a machine that is scraped no longer stays in the list, without data" {
	three_machines
	prometheus
	eventually complete
	kill "$SERVED" # of node-c
	eventually document '[.totals.machines, .totals.machines_without_data, .totals.devices_up]' '[3,1,3]'
	document '.machines[0] | [.machine, .has_data, .devices, .power]' '["node-c",false,null,null]'
	fleet >"$WORK/table"
	grep -q '^node-c .* N/A .*no data$' "$WORK/table"
	grep -q '1 without data' "$WORK/table"
}

@test "a device that is down is named" {
	needs_fuse
	D=$WORK/sim
	start -b n150,p150a --no-workloads --fault hang:0/temp1_input@1000
	add_machine node-x ""
	prometheus "$(alerting_rules)"
	eventually document '[.totals.devices_up, .totals.alerts]' '[2,0]'
	next_fault
	eventually document '[.totals.devices_up, .totals.devices, (.machines[0].alerts | map([.name, .device]))]' \
		'[1,2,[["TenstorrentDeviceDown","0"]]]'
	fleet | grep -q '^node-x .*1/2 .*device down 0$'
}

@test "TT_SMI_PROMETHEUS names the server; the table has 20 machines, --all has all" {
	touch "$WORK/go"
	fake stall "$WORK/none"
	export TT_SMI_PROMETHEUS=$URL
	"$TT_SMI" fleet >"$WORK/table"
	[ "$(grep -c '^node' "$WORK/table")" = 20 ]
	grep -q '^FLEET .*1,000 machines' "$WORK/table"
	[ "$(grep -m1 -o '^node[0-9]*' "$WORK/table")" = node0417 ]
	grep -q '^+980 machines (sorted by alerts, then temperature; --all)$' "$WORK/table"
	[ "$("$TT_SMI" fleet --all | grep -c '^node')" = 1000 ]
	[ "$("$TT_SMI" fleet --json | jq '[.totals.machines, .totals.devices, .totals.power] == [1000, 4000, 100000]')" = true ]
}
