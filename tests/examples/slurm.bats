#!/usr/bin/env bats
# The prolog and the epilog of examples/slurm in a real Slurm (munged, slurmctld and slurmd on the loopback
# interface of a network namespace, with a private configuration); and id, name and user of a job in tt_smi's outputs.

load helpers

@test "Slurm: the prolog refuses an unfit node, the epilog reports processes that still have a device, a job has its name" {
	local program
	for program in munged slurmctld slurmd srun sbatch scancel scontrol sinfo; do
		command -v $program >/dev/null || skip "no $program here: the packages of [services] are not installed"
	done
	needs_namespaces --net --uts
	machine_with_processes n150
	sed "s|^tt_smi=.*|tt_smi=$WORK/bin/tt_smi|" "$EXAMPLES/slurm/prolog" >"$WORK/prolog"
	sed "s|^tt_smi=.*|tt_smi=$WORK/bin/tt_smi|; s|^seconds=[0-9]*|seconds=1|" "$EXAMPLES/slurm/epilog" >"$WORK/epilog"
	chmod 755 "$WORK/prolog" "$WORK/epilog"
	run apart --net --uts bash -c 'python3 "$@"; exit $?' - "$HERE/slurm.py" "$WORK" "$D" 3>&-
	echo "$output"
	[ "$status" = 0 ]
}
