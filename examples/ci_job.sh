#!/bin/sh
# A CI job on a machine whose devices several jobs and users share: takes free devices, in order of
# arrival, runs the tests on them, and releases them when the tests end, whatever their result.
#
#   ci_job.sh DEVICES COMMAND...     for example: ci_job.sh 1 pytest tests/device
#
# The status is that of COMMAND, or 75 (EX_TEMPFAIL) if no devices became free or the machine is not
# fit for work: a CI system can then try again on another machine. In .gitlab-ci.yml:
#
#   test:
#     script: ci_job.sh 1 pytest tests/device
#     retry: {max: 2, exit_codes: 75}
minutes=${CI_WAIT_MINUTES:-30}
devices=$1
shift

# Without working devices there is nothing to wait for. Tests run in spite of a warning (1).
tt_smi check --only driver,devices >&2
[ $? -le 1 ] || exit 75

# This file is removed when COMMAND starts: it distinguishes a COMMAND that ended with 7 or 8 from missing devices.
mark=$(mktemp) || exit 75
trap 'rm -f "$mark"' EXIT
# shellcheck disable=SC2016 # expanded by the inner shell
tt_smi run --devices "$devices" --wait --timeout $((minutes * 60)) -- \
	sh -c 'rm -f "$1"; shift; exec "$@"' sh "$mark" "$@"
status=$?
if [ -e "$mark" ]; then
	exit 75
fi
exit $status
