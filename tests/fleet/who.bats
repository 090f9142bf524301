#!/usr/bin/env bats
# tt_smi fleet who: users, jobs and pods over machines that a real Prometheus scrapes.

load helpers

# exporter NAME: serves the metrics on standard input as a machine of this name.
exporter() {
	cat >"$WORK/metrics.$1"
	fake metrics "$WORK/metrics.$1"
	TARGETS="$TARGETS
      - { targets: [ \"${URL#http://}\" ], labels: { instance: \"$1\", rack: \"${2:-1}\" } }"
}

# A Slurm job on two machines, a pod with two containers, and processes of a user.
owners() {
	exporter node-a <<-'END'
		ttsmi_devices 4
		ttsmi_holders{device="0",role="job"} 1
		ttsmi_owner_devices{kind="slurm",slurm_job="812",slurm_job_name="train",user="lin"} 4
		ttsmi_owner_memory_used_bytes{device="0",pool="dram",kind="slurm",slurm_job="812",slurm_job_name="train",user="lin"} 1e9
		ttsmi_owner_memory_used_bytes{device="1",pool="dram",kind="slurm",slurm_job="812",slurm_job_name="train",user="lin"} 2e9
		ttsmi_owner_memory_used_bytes{device="1",pool="l1",kind="slurm",slurm_job="812",slurm_job_name="train",user="lin"} 7e9
		ttsmi_owner_quiet_seconds{kind="slurm",slurm_job="812",slurm_job_name="train",user="lin"} 90
	END
	exporter node-b 2 <<-'END'
		ttsmi_devices 4
		ttsmi_holders{device="0",role="job"} 3
		ttsmi_owner_devices{kind="slurm",slurm_job="812",slurm_job_name="train",user="lin"} 2
		ttsmi_owner_memory_used_bytes{device="3",pool="dram",kind="slurm",slurm_job="812",slurm_job_name="train",user="lin"} 4e9
		ttsmi_owner_quiet_seconds{kind="slurm",slurm_job="812",slurm_job_name="train",user="lin"} 30
		ttsmi_owner_devices{kind="pod",namespace="prod",pod="llama",container="server",user="maya"} 1
		ttsmi_owner_devices{kind="pod",namespace="prod",pod="llama",container="sidecar",user="maya"} 1
		ttsmi_owner_quiet_seconds{kind="pod",namespace="prod",pod="llama",container="server",user="maya"} 184
		ttsmi_owner_devices{kind="user",user="ann"} 1
	END
}

# owned FILTER VALUE
owned() {
	[ "$(fleet who --json=compact 2>/dev/null | jq -c "$1" 2>/dev/null)" = "$2" ]
}

@test "owners are added up over machines, and agree in table, JSON and CSV" {
	owners
	prometheus
	eventually owned '[.machines, (.owners | length)]' '[2,3]'
	eventually owned '[.owners[] | [.user, .slurm_job, .pod, (.machines | sort), .devices, .dram_used, .quiet]]' \
		'[["lin","812",null,["node-a","node-b"],6,7000000000,30],["maya",null,"llama",["node-b"],2,null,184],["ann",null,null,["node-b"],1,null,null]]'
	fleet who >"$WORK/table"
	cat "$WORK/table"
	grep -Eq '^lin +slurm 812 \(train\) +2 +6 +6.5 GB +30 s$' "$WORK/table"
	grep -Eq '^maya +prod/llama \(pod\) +1 +2 +N/A +3 min$' "$WORK/table"
	grep -Eq '^ann +- +1 +1 +N/A +N/A$' "$WORK/table"
	fleet who --csv >"$WORK/csv"
	[ "$(sed -n 2p "$WORK/csv")" = "slurm,lin,812,train,,,,2,6,7000000000,30" ]
	[ "$(wc -l <"$WORK/csv")" = 4 ]
	# The table of machines has the same numbers.
	[ "$(fleet --json | jq -c '[.machines[] | [.machine, .jobs, .users]] | sort')" = '[["node-a",1,1],["node-b",3,3]]' ]
}

@test "recording rules and the series themselves give the same owners" {
	owners
	prometheus
	raw=$URL
	eventually owned '(.owners | length)' 3
	prometheus "$TOP/share/prometheus/tt_smi.recording.yml"
	eventually recorded 'count(instance:ttsmi_owner_quiet_seconds:min)' 3
	eventually same_owners
	# Other sums than those of the series show that the recorded ones are read.
	sed '/record: instance:ttsmi_owner_memory/{n;s/expr: /&2 * /}' "$TOP/share/prometheus/tt_smi.recording.yml" >"$WORK/recording.yml"
	prometheus "$WORK/recording.yml"
	eventually owned '[.owners[] | [.user, .devices, .dram_used, .quiet]]' \
		'[["lin",6,14000000000,30],["maya",2,null,184],["ann",1,null,null]]'
}

same_owners() {
	diff <(URL=$raw fleet who --json=pretty | grep -v '"time"\|"server"') <(fleet who --json=pretty | grep -v '"time"\|"server"')
}

@test "owners of some machines only" {
	owners
	prometheus
	eventually owned '[.machines, (.owners | length)]' '[2,3]'
	[ "$(fleet who --json --match 'rack="1"' | jq -c '[.owners[] | [.user, .devices]]')" = '[["lin",4]]' ]
	[ "$(fleet who --json '*-b' | jq -c '[.owners[] | [.user, .devices]]')" = '[["lin",2],["maya",2],["ann",1]]' ]
	run fleet who nothing
	[ "$status" = 6 ]
}

@test "machines without series of owners are reported, and differ from machines without jobs" {
	exporter node-a <<-'END'
		ttsmi_devices 4
		ttsmi_holders{device="0",role="job"} 0
		ttsmi_holders{device="0",role="monitor"} 1
	END
	prometheus
	eventually owned '[.machines, .machines_without_owners]' '[1,0]'
	run fleet who
	[ "$status" = 0 ] && [[ $output == *"no job has a device open" ]]
	[ "$(fleet --json | jq -c '.machines[0] | [.jobs, .users]')" = '[0,0]' ]
	sed -i 's/\(role="job"}\) 0/\1 2/' "$WORK/metrics.node-a"
	eventually who_fails 3 "owners are unknown: 1 machines have jobs, but the server has no series of owners"
	[ "$(fleet --json | jq -c '.machines[0] | [.jobs, .users]')" = '[null,null]' ]
	exporter node-b <<-'END'
		ttsmi_devices 4
		ttsmi_owner_devices{kind="user",user="ann"} 1
	END
	prometheus
	eventually owned '[.machines, .machines_without_owners, (.owners | length)]' '[2,1,1]'
	fleet who | grep -q '^1 of 2 machines have jobs, but deliver no owners'
}

who_fails() { # CODE TEXT
	run fleet who
	[ "$status" = "$1" ] && [[ $output == *"$2"* ]]
}

# The metrics of a real tt_smi serve on a machine with a Slurm job and a user's process.
@test "owners of a real tt_smi serve" {
	"$TT_SMI" serve --list-metrics | grep -q '^ttsmi_owner_devices' || skip "this tt_smi serve has no metrics of owners"
	D=$WORK/a
	machine -b n150,p150a -w dev=0+1,dram=2G,name=train,cgroup=/system.slice/slurmstepd.scope/job_812/step_0/user/task_0
	add_machine node-a ""
	prometheus
	eventually owned '[.owners[] | [.kind, .slurm_job, .machines, .devices]]' '[["slurm","812",["node-a"],2]]'
	owned '.owners[0].dram_used' "$("$TT_SMI" --root "$D" --json | jq '[.devices[].memory.used] | add')"
}

@test "the document matches its schema; labels of any kind break nothing" {
	"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
	fake hostile
	fleet who --json=compact >"$WORK/json"
	[ "$(wc -l <"$WORK/json")" = 1 ]
	not grep -qP '[\x00-\x09\x0b-\x1f\x7f]' "$WORK/json"
	fleet who >"$WORK/table"
	not grep -qP '[\x00-\x09\x0b-\x1f\x7f]' "$WORK/table"
	grep -q evil "$WORK/table"
	fleet who --csv >"$WORK/csv"
	owners
	prometheus
	eventually owned '(.owners | length)' 3
	fleet who --json=compact >>"$WORK/json"
	"$PYTHON" - "$TOP/docs/fleet-who-schema.json" "$WORK/json" "$WORK/csv" <<-'END'
		import csv, json, jsonschema, sys
		schema = json.load(open(sys.argv[1]))
		jsonschema.Draft202012Validator.check_schema(schema)
		for line in open(sys.argv[2]):
		    jsonschema.validate(json.loads(line), schema, jsonschema.Draft202012Validator)
		rows = list(csv.reader(open(sys.argv[3], newline=""), strict=True))
		assert len(rows) == 2 and len(rows[0]) == len(rows[1]), rows
	END
}
