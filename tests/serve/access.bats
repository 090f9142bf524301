#!/usr/bin/env bats
# tt_smi serve: which clients may see command lines, users and owners.

load helpers

# elsewhere COMMAND...: in a network namespace, where 192.0.2.1 is an address of this machine that is not loopback.
elsewhere() {
	unshare -Urn sh -c 'ip link set lo up && ip addr add 192.0.2.1/32 dev lo && exec "$@"' sh "$@" 3>&-
}

needs_elsewhere() {
	command -v ip >/dev/null || skip "ip (package iproute2) is not installed"
	elsewhere true 2>/dev/null || skip "user $(id -u) gets no network namespace"
}

# A recorded machine with a process of a Slurm job, whose command line has a secret.
owned_machine() {
	machine -b n150 -w dev=0,dram=1G,name=train
	printf 'train\0--token=hunter2' >"$D/proc/1001/cmdline"
	echo '0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0' >"$D/proc/1001/cgroup"
	printf 'SLURM_JOB_ID=4711\0SLURM_JOB_NAME=secret-plan\0SLURM_JOB_USER=ada\0' >"$D/proc/1001/environ"
}

# fetch NAME [OPTIONS]: the documents of a server with these options, for a client on this machine, $WORK/NAME.local, and
# for another one, $WORK/NAME.remote.
fetch() {
	local name=$1
	shift
	cat >"$WORK/inside" <<-END
		set -e
		"$TT_SMI" serve --root "$D" --listen 0.0.0.0:$PORT $* 2>"$WORK/log" & server=\$!
		for i in \$(seq 15000); do
			curl -s -f -o "$WORK/ready" http://192.0.2.1:$PORT/readyz && break
			sleep 0.02
		done
		"$PYTHON" "$BATS_TEST_DIRNAME/client.py" documents 127.0.0.1 $PORT "$WORK/$name.local"
		"$PYTHON" "$BATS_TEST_DIRNAME/client.py" documents 192.0.2.1 $PORT "$WORK/$name.remote"
		kill \$server
		wait \$server
	END
	elsewhere sh "$WORK/inside"
}

@test "command lines, users and owners are for local clients and for those with a password, and for none with --no-owners" {
	needs_elsewhere
	owned_machine
	PORT=$(client port)
	fetch default
	client named "$WORK/default.local"
	grep -q hunter2 "$WORK/default.local.json"
	grep -q '^ttsmi_owner_memory_used_bytes{device="0",.*kind="slurm",slurm_job="4711",slurm_job_name="secret-plan",user="[^"]*"} 1073741824$' \
		"$WORK/default.local.metrics"
	not grep -q ttsmi_owner "$WORK"/default.remote.metrics
	client hidden "$WORK/default.remote" "$WORK/default.local"
	fetch private --no-owners
	client hidden "$WORK/private.local" "$WORK/default.local"
	client hidden "$WORK/private.remote" "$WORK/default.local"
	not grep -r 'hunter2\|4711\|secret-plan' "$WORK"/{default,private}.remote.* "$WORK"/private.*
	users alice wonderland
	TT_LOGIN=alice:wonderland fetch login --auth-file "$WORK/users"
	client named "$WORK/login.remote"
	grep -q '^ttsmi_owner_devices{.*slurm_job_name="secret-plan"' "$WORK/login.remote.metrics"
	diff "$WORK/login.remote.json" "$WORK/default.local.json"
	TT_LOGIN=alice:wonderland fetch both --auth-file "$WORK/users" --no-owners
	client hidden "$WORK/both.local" "$WORK/default.local"
	"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
	cat "$WORK"/*.json "$WORK"/*.event | "$PYTHON" "$BATS_TEST_DIRNAME/../docs/validate.py"
}

@test "no client can see names of operations, whoever runs the server" {
	machine -b n150 -w dev=0,dram=1G,name=train,busy=50
	"$TT_SMI" --root "$D" --json | grep -q '"operation":"ttnn::matmul"'
	serve
	get /api/v1/snapshot >"$WORK/snapshot"
	not grep -q matmul "$WORK/snapshot"
	"$PYTHON" -c 'import json, sys
snapshot = json.load(sys.stdin)
for part in snapshot["devices"][0], snapshot["processes"][0]["devices"][0]:
    figure = part["utilization"]
    assert figure["dispatch"] == 0.5 and figure["operation"] is None, figure
    assert part["unavailable"]["utilization.operation"] == "permission_denied", part["unavailable"]' <"$WORK/snapshot"
	not grep -q matmul <(get "/page/device?id=0")
	get "/page/process?pid=$(grep -o '"pid":[0-9]*' "$WORK/snapshot" | grep -o '[0-9]*$' | tail -n 1)" >"$WORK/process"
	grep -q '"Operation","N/A (permission denied)",false' "$WORK/process"
	not grep -q matmul "$WORK/process"
}
