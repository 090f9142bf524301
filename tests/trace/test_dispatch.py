"""Compute utilisation: the figures of the tracer are compared with known schedules of programs."""

import os
import subprocess
import sys

import staged
from metal import DISPATCHING, PROFILING, Skip, run_tests
from sampling import (NEAR, Case, Sampling, begun, busy, check_fork, check_kill, follow, full, has_name, idle, play,
                      read_lines, share, state)
from schedule import Truth
from specials import tell
from staged import NUMBERS, PINS
from watcher import eventually

staged.enter()

RECORDS = 32768  # of a ring
FOREVER = "for=3600"
PLAY = "background play 0 " + FOREVER
# A step that makes the tracer find the ring: programs must run while the probes for rings are attached.
FOUND = [("play 0 count=20 rate=1000 duty=50", lambda line: line["last"] != "-", "again")]


def running(line):
    """Does a program run for longer than the window, so that only a bound is known?"""
    return line["running"] != "-" and int(line["running"]) > 2e9 and line["bound"] != "exact"


def exact_cases():
    """1 to 50,000 programs per second, busy for 0 to 100 % of the time. In the fastest, ring and ids wrap more than once."""
    for rate, duty, more in ((1, 50, "sync"), (1, 70, ""), (30, 100, "sync"), (100, 30, "mark=3"), (1000, 85, ""),
                             (1000, 100, "")):
        yield Case(f"{rate} programs/s, {duty} %", "v76", (f"{PLAY} rate={rate} duty={duty} {more}", busy("exact")),
                   ((), lambda line: busy("exact")(line) and has_name(line)))
    fast = Case("50,000 programs/s, 40 %", "v76", (f"{PLAY} rate=50000 duty=40 event=5000", busy("exact")),
                setup=("open 0", "queues 0"))
    fast.steps.append(((), lambda line: busy("exact")(line) and fast.player.counts("0")[0].records > 2.1 * RECORDS))
    yield fast
    for variant in PROFILING:
        yield Case(f"nothing is launched in {variant}", variant, ((), idle), never=lambda line: line["busy"] not in "-0")
    yield Case("nothing is launched without a profiler", "v60", ((), state("no-records")), chip="-")
    yield Case("all has ended", "v76", *FOUND, ((), idle))
    for variant in ("v77", "main"):
        yield Case(f"exact in {variant}", variant, (f"{PLAY} rate=300 duty=60", busy("exact")))
    for variant in ("v71", "v75"):
        yield Case(f"one by one in {variant}", variant, (f"{PLAY} rate=300 duty=60", busy("exact", "lower")))


def incomplete_cases():
    """With launches that have no record, a figure is not exact."""
    for title, queues, options in (("lost records", "", "lose=50"), ("trace replay", "", "trace=5"),
                                   ("a second queue", "queues=2", "queue=1"), ("no ids", "", "ids=none")):
        yield Case(title, "v76", (f"{PLAY} rate=200 duty=50 {options}", full), ((), busy("lower", "upper")),
                   setup=("open 0", f"queues 0 poll=2000 {queues}"))
    yield Case("sub-devices", "v77", ([f"{PLAY} rate=90 duty=80 name=first", f"{PLAY} rate=100 duty=80 sub=1 name=second"],
                                      busy("lower")))
    yield Case("a late last record", "v76", *FOUND, ("play 0 count=4 rate=100 duty=50 nofinish", full),
               ("play 0 count=1 rate=100 duty=50", idle))
    yield Case("a program that runs", "v76", *FOUND, ("background play 0 busy=3600000 count=1", running))
    yield Case("a program that has ended", "v76", *FOUND, ("play 0 busy=1100 count=1", idle))


def unreadable_cases():
    def layout(title, setup, word, nodes=(0,)):
        return Case(title, "v76", (f"background play {setup[0].split()[1]} rate=300 duty=50 {FOREVER}", state(word)),
                    setup=setup, chip="-", nodes=nodes, never=lambda line: line["bound"] != "-")

    yield layout("a wrong page size", ("open 0", "queues 0 page=128 poll=2000"), "unknown-layout")
    yield layout("a chip without profiler", ("mesh m 0 1", "queues m ethernet=1 poll=2000"), "not-covered", (0, 1))
    yield Case("slow dispatch", "v77", (f"background play m rate=100 duty=50 {FOREVER}", state("slow-dispatch")),
               setup=("mesh m 0", "queues m slow"), chip="-")
    yield Case("no anchor", "v76", (f"{PLAY} rate=200 duty=50", busy("upper")),
               setup=("open 0", "queues 0 anchor=none poll=2000"), never=lambda line: line["bound"] not in ("-", "upper"))


def clock_cases():
    yield Case("an anchor of another clock", "v76", (f"{PLAY} rate=300 duty=50", busy("exact", "lower")),
               setup=("open 0", "queues 0 anchor=tsc poll=2000"))
    for before, after in ((1, 0.5), (0.8, 1.35)):
        yield Case(f"{before} GHz becomes {after}", "v76", (f"{PLAY} rate=300 duty=60", busy("exact")),
                   (f"clock 0 0 {after}", busy("lower")), ((), busy("lower")), ((), busy("lower")),
                   setup=("open 0", f"queues 0 clock={before} poll=2000"))
    yield Case("garbage", "v76", (f"{PLAY} rate=300 duty=60", busy("exact")),
               ("garbage 0 0 500", busy("exact", "lower")), ((), busy("exact", "lower")))
    for variant in ("v76", "main"):
        yield Case(f"a huge page in {variant}", variant, (f"{PLAY} rate=300 duty=60", busy("exact", "lower")),
                   setup=("open 0", "queues 0 huge poll=2000"))


def upper_cases():
    for variant in ("v57", "v60", "v65", "v68"):
        yield Case(f"an upper bound in {variant}", variant, (f"{PLAY} rate=100 duty=40 sync", busy("upper")))


def check_names(case):
    """Names are for root and the owner of the process."""
    for uid, name in ((0, "ttnn::matmul"), (4711, "-")):
        text = subprocess.check_output(["setpriv", f"--reuid={uid}", "--clear-groups", "cat", PINS + "/dispatch"], text=True)
        row = next(line.split() for line in text.splitlines() if line.split()[:3:2] == [str(case.pid), "0"])
        assert row[-1] == name, row


def test_figures_of_schedules_agree_with_the_truth(directory):
    cases = [*exact_cases(), *incomplete_cases(), *unreadable_cases(), *clock_cases(), *upper_cases()]
    busy_one, ended = [next(case for case in cases if case.title == title)
                       for title in ("1000 programs/s, 85 %", "all has ended")]
    with Sampling(DISPATCHING, "--programs", "--names"), begun(cases, directory):
        follow(cases, [case for case in cases if case not in (busy_one, ended)])
        check_names(busy_one)
        check_fork(ended)
        check_kill(busy_one)


def test_without_launches_there_are_lower_bounds(directory):
    """Also for programs that ran before the tracer; with the names of operations if they are requested."""
    def cases(when):
        for variant in PROFILING:
            yield Case(f"{variant} {when}", variant, (f"{PLAY} rate=200 duty=60 sync", busy("lower")),
                       ((), lambda line: busy("lower")(line) and has_name(line) == bool(options)),
                       never=lambda line: line["bound"] not in ("-", "lower"))
        yield Case(f"v60 {when}", "v60", (f"{PLAY} rate=100 duty=50", state("no-profiler")), chip="-")
        yield Case(f"nothing is launched {when}", "v76", ((), state("no-records")), chip="-")
        yield Case(f"a ring that is no longer one {when}", "v76", (f"{PLAY} rate=100 duty=50", busy("lower")),
                   ("corrupt 0 0 page_size 128", state("unknown-layout")), ((), state("unknown-layout")))

    for options in (), ("--names",):
        earlier, later = list(cases("before")), list(cases("after"))
        with begun(earlier, directory), Sampling(DISPATCHING, *options), begun(later, directory):
            follow(earlier + later, earlier + later)


def test_launches_from_before_the_attach(directory):
    """Upper bounds begin when everything that was launched before has finished. In the last case it never does."""
    cases = [Case(f"{variant} from before", variant, (f"{PLAY} rate=100 duty=40 sync", busy("upper")), ((), busy("upper")))
             for variant in DISPATCHING if variant not in PROFILING]
    cases.append(Case("a chip without profiler from before", "v76", (f"background play m {FOREVER} rate=100 duty=40 sync", busy("upper")),
                      ((), busy("upper")), setup=("mesh m 0 1", "queues m ethernet=1 poll=2000"), nodes=(0, 1), chip="1"))
    cases.append(Case("a program of a second queue from before", "v60", (f"{PLAY} rate=100 duty=40 sync", state("not-followed")),
                      ((), state("not-followed")), never=lambda line: line["bound"] != "-",
                      setup=("open 0", "queues 0 queues=2", "background play 0 queue=1 busy=3600000 count=1")))
    with begun(cases, directory), Sampling(DISPATCHING, "--programs"):
        follow(cases, cases)


def test_a_measured_program_says_and_does_the_same(_):
    """With all probes, and without any."""
    alone = {variant: tell(variant) for variant in DISPATCHING}
    with Sampling(DISPATCHING, "--programs", "--names"):
        for variant, said in alone.items():
            assert tell(variant) == said, variant


def test_probes_one_by_one_do_the_same(directory):
    """As on kernels without multi-uprobe links."""
    if not os.path.exists("/sys/bus/event_source/devices/uprobe/type"):
        raise Skip("no uprobe events of perf here")
    cases = [Case("v76 by perf", "v76", (f"{PLAY} rate=200 duty=60", busy("exact")), ((), has_name)),
             Case("v75 by perf", "v75", (f"{PLAY} rate=200 duty=60", busy("exact", "lower"))),
             Case("v60 by perf", "v60", (f"{PLAY} rate=100 duty=40 sync", busy("upper")))]
    with Sampling(("v60", "v75", "v76"), "--programs", "--names", env={**os.environ, "TT_SMI_TRACE_ATTACH": "perf"}):
        play(cases, directory)


def device_lines(index):
    return [line for line in read_lines() if line["pid"] == "0" and line["device"] == str(index)]


def check_shared(variants, directory):
    cases = [Case(f"{rate} programs/s on a shared chip", variant, (f"{PLAY} rate={rate} duty={duty} sync", busy("exact")))
             for variant, rate, duty in zip(variants, (100, 130), (40, 30))]
    with Sampling(set(variants), "--programs"), begun(cases, directory):
        follow(cases)
        found = []
        eventually(lambda: found.extend(filter(busy("exact"), device_lines(NUMBERS[0]))) or found)
        line, pids = found[0], [case.pid for case in cases]
        assert (line["comm"], line["chip"], line["operation"], line["state"]) == ("-", "-", "-", "ok"), line
        # All windows end where the first of them does, within the last sample.
        truths = [case.settled([line]) for case in cases]
        truth = Truth(cases[0].truth)
        truth.runs = [run for one in truths for run in one.runs if run.pid in pids]
        ends = [int(line["updated"]) - back * 10**6 for back in range(0, 300, 2)]
        unions, longest = ([figure(end - int(line["window"]), end) for end in ends] for figure in (
            truth.share, lambda *window: max(truth.share(*window, pid=pid) for pid in pids)))
        assert min(unions) - NEAR <= share(line) <= max(unions) + NEAR, (line, unions)
        assert share(line) > min(longest) + NEAR, (line, longest)
        check_kill(cases[0])
        eventually(lambda: not device_lines(NUMBERS[0]))


def test_two_processes_on_one_chip_have_their_shares_and_the_union(directory):
    """Both of one release, or of two releases that are measured in different ways."""
    for variants in ("v76", "v76"), ("v75", "main"):
        check_shared(variants, directory)


run_tests(sys.modules[__name__])
