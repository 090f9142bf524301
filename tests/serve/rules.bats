#!/usr/bin/env bats
# The rules for Prometheus in share/prometheus/: recorded values and alerts.

load ../cli/helpers

TOP=$BATS_TEST_DIRNAME/../..
RULES=$TOP/share/prometheus/tt_smi.rules.yml
RECORDING=$TOP/share/prometheus/tt_smi.recording.yml
CASES=$BATS_TEST_DIRNAME/rules

needs_promtool() {
	command -v promtool >/dev/null || skip "promtool (package prometheus) is not installed"
}

@test "alerts fire for what is broken and for nothing else; each has a page" {
	needs_promtool
	promtool check rules "$RULES"
	promtool test rules "$CASES/alerts.test.yml"
	sed -n 's/^ *- alert: //p' "$RULES" | sort >"$WORK/alerts"
	[ "$(wc -l <"$WORK/alerts")" -ge 11 ]
	diff "$WORK/alerts" <(sed -n 's/^## //p' "$TOP/docs/alerts.md" | sort)
	diff "$WORK/alerts" <(grep -o 'alertname="[A-Za-z]*"' "$CASES/alerts.test.yml" | cut -d'"' -f2 | sort -u)
}

@test "values per machine are right, and absent if nothing is known; each is tested and documented" {
	needs_promtool
	promtool check rules "$RECORDING"
	promtool test rules "$CASES/recording.test.yml"
	sed -n 's/^ *- record: //p' "$RECORDING" | sort >"$WORK/records"
	[ "$(wc -l <"$WORK/records")" -ge 9 ]
	diff "$WORK/records" <(sed -n 's/^ *- expr: \(instance:.*\)/\1/p' "$CASES/recording.test.yml" | sort -u)
	diff "$WORK/records" <(sed -n 's/^| `\(instance:[^`]*\)`.*/\1/p' "$TOP/docs/metrics.md" | sort)
}

@test "the metrics that rules ask for exist" {
	"$TT_SMI" serve --list-metrics | cut -f1 | sort >"$WORK/exist"
	sed '/record:/d' "$RULES" "$RECORDING" | grep -o '\<ttsmi_[a-z_]*' | sort -u >"$WORK/asked"
	[ "$(wc -l <"$WORK/asked")" -ge 15 ]
	run comm -13 "$WORK/exist" "$WORK/asked"
	echo "no such metric: $output"
	[ -z "$output" ]
}
