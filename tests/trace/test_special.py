"""Compute utilisation that the tracer measures with unusual schedules (tests/metal/specials.py), in each release."""

import sys

import staged
from metal import run_tests
from sampling import Case, Sampling, begun, busy, check_again, check_fork, check_kill, follow, full, idle, state
from specials import EVENTS, RECORDS, RINGS, schedules

staged.enter()

PLAY = "background play 0 for=3600"


def case_of(title, variant, special):
    setup = ("open 0", f"queues 0 poll=2000 {special.queues}")
    play = f"{PLAY} {special.play}"
    if not special.tracer:
        return Case(title, variant, (play, state("unknown-layout")), setup=setup, chip="-",
                    never=lambda line: line["bound"] != "-")
    shown = busy(*special.tracer)
    if special.then:
        return Case(title, variant, (play, busy("exact", "lower")), (special.then, shown), ((), shown), ((), shown), setup=setup)
    return Case(title, variant, (play, shown), ((), shown), ((), shown), setup=setup)


def wrap_case(variant):
    """All records of the ring are overwritten at least once."""
    rate, shown = 20000 if variant in RINGS else 300, busy("exact", "lower")
    case = Case(f"the ring wraps in {variant}", variant, (f"{PLAY} rate={rate} duty=40 event=500", shown))
    case.steps.append(((), lambda line: shown(line) and case.player.counts("0")[0].records > 1.2 * RECORDS[variant]))
    return case


def ended_without_record(line):
    return full(line) and line["busy"] == "0" and line["bound"] == "lower"


def late_case(variant):
    """The chip sends the record of the last program with the next one, or (since v0.75) when the host waits."""
    found = ("play 0 count=20 rate=1000 duty=50", lambda line: line["last"] != "-", "again")
    return Case(f"a late last record in {variant}", variant, found, ("play 0 count=4 rate=100 duty=50 nofinish", full),
                ("play 0 count=1 rate=100 duty=50", idle if variant != "v71" else ended_without_record))


def check_release(variant, directory):
    """Plays all schedules of one release, so that not too many processes run at a time."""
    late = late_case(variant)
    again = [late_case(variant), late_case(variant)]
    others = [wrap_case(variant)] + [case_of(*schedule) for schedule in schedules(variant)]
    with Sampling([variant], "--programs"), begun([late, *again, *others], directory):
        follow([late, *again, *others], others)
        check_fork(late)
        check_kill(late)
        for execs, case in enumerate(again):
            check_again(case, execs)


def test_unusual_schedules_in_v71(directory):
    check_release("v71", directory)


def test_unusual_schedules_in_v75(directory):
    check_release("v75", directory)


def test_unusual_schedules_in_v76(directory):
    check_release("v76", directory)


def test_unusual_schedules_in_v77(directory):
    check_release("v77", directory)


def test_unusual_schedules_in_main(directory):
    check_release("main", directory)


def test_unusual_schedules_without_a_profiler(directory):
    cases = [case_of(*schedule) for variant in EVENTS for schedule in schedules(variant)]
    with Sampling(EVENTS, "--programs"), begun(cases, directory):
        follow(cases, cases)
        # While processes are sampled, another one launches a program before a scan has found it.
        later = [Case(f"a program that runs in {variant}", variant,
                      ("background play 0 busy=3600000 count=1", lambda line: busy("upper")(line) and line["running"] != "-"))
                 for variant in EVENTS]
        with begun(later, directory):
            follow(later)
            for case in later:
                check_kill(case)
        ended = [Case(f"all has ended in {variant}", variant, ("play 0 count=20 rate=1000 duty=50", idle))
                 for variant in EVENTS * 2]
        with begun(ended, directory):
            follow(ended)
            for number, case in enumerate(ended):
                check_fork(case)
                check_again(case, number >= len(EVENTS))


run_tests(sys.modules[__name__])
