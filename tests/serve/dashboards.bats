#!/usr/bin/env bats
# The dashboards for Grafana in share/grafana/: their queries are valid, use existing series, and return data.

load ../cli/helpers

PYTHON=/usr/bin/python3 # the interpreter for which Debian's python3-yaml is installed
export PYTHONDONTWRITEBYTECODE=1

dashboards() {
	"$PYTHON" "$BATS_TEST_DIRNAME/dashboards.py" "$@" "$TT_SMI" "$WORK" 3>&-
}

@test "every query of a dashboard is valid, and asks for series and labels that exist" {
	command -v promtool >/dev/null || skip "promtool (package prometheus) is not installed"
	dashboards static
}

@test "every query of a dashboard has data in a Prometheus that scrapes a fleet" {
	command -v prometheus >/dev/null || skip "prometheus is not installed"
	dashboards live
}
