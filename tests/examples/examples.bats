#!/usr/bin/env bats
# Runs the examples for Kubernetes, CI and cron.

load helpers

# probes STARTUP LIVENESS READINESS: the expected result of each probe, "success" or "failure".
probes() {
	run /usr/bin/python3 "$HERE/probes.py" "$EXAMPLES/kubernetes.yaml" run 3>&-
	echo "$output"
	[ "$output" = "startupProbe $1
livenessProbe $2
readinessProbe $3" ]
}

needs_yaml() {
	/usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null || skip "python3-yaml or python3-jsonschema is not installed"
}

@test "Kubernetes: the manifest has no unknown field" {
	needs_yaml
	/usr/bin/python3 "$HERE/probes.py" "$EXAMPLES/kubernetes.yaml" check
}

@test "Kubernetes: kubectl reads the whole manifest" {
	needs_yaml
	command -v kubectl >/dev/null || skip "no kubectl here"
	# kubectl applies a change without a cluster, and writes the manifest as it has parsed it.
	KUBECONFIG=/dev/null HOME=$WORK kubectl set env --local -f "$EXAMPLES/kubernetes.yaml" A=b -o json >"$WORK/read"
	/usr/bin/python3 "$HERE/probes.py" "$EXAMPLES/kubernetes.yaml" compare <"$WORK/read"
}

@test "Kubernetes: the parts of the manifest of tt_smi serve fit each other and the program" {
	needs_yaml
	[ -x "$TT_SMI-serve" ] || skip "tt_smi serve is not built"
	/usr/bin/python3 "$HERE/manifest.py" "$EXAMPLES/kubernetes-serve.yaml" "$TT_SMI"
}

@test "Kubernetes: the probes fail for devices that are lost, hang or are too hot" {
	needs_yaml
	machine n150 --time 1763200000 # so long ago that no heartbeat is expected
	probes success success success
	temperature 80000
	probes success success failure
	temperature 50000
	rm -r "$D/sys/class/tenstorrent/"*
	probes failure failure failure
	remove "$D"
	"$TT_SMI_SIM" --seed 7 -b n150 --no-workloads --fault frozen:0 "$D" 2>/dev/null 3>&- &
	SIM=$!
	eventually test -s "$D/simulated"
	probes success failure success
}

# ci [COMMAND...]: runs the CI job on one device.
ci() {
	run apart bash -c '"$@"; exit $?' - "$EXAMPLES/ci_job.sh" 1 "$@" 3>&-
	echo "ci $*: $status: $output"
}

@test "CI: the job has a device and ends as its command, or says that it could not start" {
	needs_namespaces
	machine_with_processes 2xn150
	ci sh -c 'echo "$TT_VISIBLE_DEVICES $1"; exit 7' - "a  b"
	[ "$status" = 7 ]
	[[ "$output" = *"0000:01:00.0 a  b" ]]
	# The device is used by a program that was not started by tt_smi run: the shell that starts the job.
	exec 5<"$D/dev/tenstorrent/0"
	CI_WAIT_MINUTES=0 ci sh -c 'echo "$TT_VISIBLE_DEVICES"'
	[ "$status" = 0 ]
	[[ "$output" = *"0000:02:00.0" ]]
	exec 6<"$D/dev/tenstorrent/1"
	CI_WAIT_MINUTES=0 ci touch "$WORK/ran"
	exec 5<&- 6<&-
	[ "$status" = 75 ]
	[ ! -e "$WORK/ran" ]
	rm -r "$D/sys/class/tenstorrent/"*
	ci touch "$WORK/ran"
	[ "$status" = 75 ]
	[[ "${lines[-1]}" = "TT_SMI CRITICAL: no Tenstorrent device present"* ]] # it did not wait
	[ ! -e "$WORK/ran" ]
}

# Runs cron with private directories and the commands of the example, which cron runs once when it
# starts instead of every five minutes. Mails are written to $WORK/mail.
cron_once() {
	{
		echo "PATH=$WORK/bin:/usr/bin:/bin"
		sed -n "s|\$HOME|$WORK|; s|^\*/5 \* \* \* \* \(.*\)|@reboot { \1; echo ended >>$WORK/ended; } >>$WORK/mail 2>\&1|p" \
			"$EXAMPLES/crontab"
	} >"$WORK/crontab"
	: >"$WORK/ended"
	: >"$WORK/mail"
	# shellcheck disable=SC2016 # expanded inside
	apart --mount bash -euc '
		for directory in /run /etc/cron.d /var/spool/cron/crontabs; do
			mount -t tmpfs -o mode=755 none $directory
		done
		install -m 600 "$1" /var/spool/cron/crontabs/root
		cron -f &
		for _ in $(seq 6000); do
			[ "$(wc -l <"$2")" -lt 2 ] || exit 0
			sleep 0.02
		done
		exit 1
	' - "$WORK/crontab" "$WORK/ended" 3>&-
}

# The mail, without the note that the machine is simulated.
mailed() {
	grep -v '^tt_smi: SIMULATED machine' "$WORK/mail" || true
}

@test "cron: silent on a fit machine, findings otherwise, readings into a file" {
	command -v cron >/dev/null || skip "no cron here: the packages of [services] are not installed"
	[ "$(id -u)" = 0 ] || skip "not root: cron needs it"
	needs_namespaces
	crontab -n "$EXAMPLES/crontab"
	[ "$(grep -c '^\*/5 \* \* \* \* ' "$EXAMPLES/crontab")" = 2 ]
	machine 2xn150 --time 1763200000 # so long ago that no heartbeat is expected
	cron_once
	mailed >"$WORK/silent"
	cat "$WORK/silent"
	[ ! -s "$WORK/silent" ]
	temperature 80000
	cron_once
	cat "$WORK/mail" "$WORK/tt_smi.csv"
	[[ "$(mailed)" = "TT_SMI CRITICAL: device 0: n150: too hot: 80.0 C"*"n150: too hot: 80.0 C"* ]] # check, doctor
	[ "$(wc -l <"$WORK/tt_smi.csv")" = 4 ]
	[ "$(cut -d, -f2,3 "$WORK/tt_smi.csv" | tail -n 2 | head -n 1)" = " 0, 80" ]
}
