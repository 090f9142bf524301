"""Unusual schedules, for tests of the tracer and of the preloaded library: the releases in which each can be played, and
which kinds of figures may be shown. Every figure is also compared with the truth: `exact` within 1 %, else as a bound.

A release that is not in `releases` lacks something that the schedule needs, which `elsewhere` names; or it has another
row, whose title ends in "one by one" or "without profiler", since other figures may be shown there.
"""

import collections
import re
import subprocess

from metal import DISPATCHING, PROFILING, command

ONE_BY_ONE = ["v71", "v75"]           # a ring of 64 records; a function is called for each record
RINGS = ["v76", "v77", "main"]        # a ring of 32,768 records, and a function for many records
RECORDS = {variant: 64 if variant in ONE_BY_ONE else 32768 for variant in PROFILING}
EVENTS = [variant for variant in DISPATCHING if variant not in PROFILING]

# queues, play: options of the commands of schedule.cpp. then: a command while it plays.
# tracer, preload: the kinds of figures that each may show after that; (): none, only a reason.
Special = collections.namedtuple("Special", "title releases elsewhere queues play then tracer preload")

ANY = ("exact", "lower")
INCOMPLETE = ("lower", "upper")
NO_PROFILER = "no profiler: nothing has records, numbers, rings or clocks"

SPECIALS = [
    Special("numbers wrap", RINGS, "", "", "rate=200 duty=60 ids=65350", "", ("exact",), ("exact",)),
    Special("numbers wrap one by one", ONE_BY_ONE, "", "", "rate=200 duty=60 ids=65350", "", ANY, ANY),
    Special("lost records", PROFILING, NO_PROFILER, "", "rate=100 duty=50 lose=50", "", INCOMPLETE, INCOMPLETE),
    Special("sync markers", PROFILING, NO_PROFILER, "", "rate=100 duty=30 mark=3", "", ANY, ANY),
    Special("no numbers", PROFILING, NO_PROFILER, "", "rate=100 duty=50 ids=none", "", INCOMPLETE, INCOMPLETE),
    Special("trace replay", PROFILING, NO_PROFILER, "", "rate=100 duty=50 trace=5 event=5", "", INCOMPLETE, INCOMPLETE),
    Special("a trace without profiler", EVENTS, "", "", "rate=100 duty=50 trace=5 event=5", "", ("upper",),
            ("upper",)),
    Special("a second queue", PROFILING, NO_PROFILER, "queues=2", "rate=100 duty=50 queue=1", "", INCOMPLETE, INCOMPLETE),
    Special("a second queue without profiler", EVENTS, "", "queues=2", "rate=100 duty=50 queue=1 sync", "", ("upper",),
            ("upper",)),
    Special("no anchor", PROFILING, NO_PROFILER, "anchor=none", "rate=100 duty=50", "", ("upper",), ()),
    Special("a slower clock", PROFILING, NO_PROFILER, "clock=1", "rate=100 duty=60", "clock 0 0 0.5", ("lower",), ("lower",)),
    Special("a faster clock", PROFILING, NO_PROFILER, "clock=0.8", "rate=100 duty=60", "clock 0 0 1.35", ("lower",),
            ("lower",)),
    Special("a wrong page size", RINGS, "", "page=128", "rate=100 duty=50", "", (), ("upper",)),
    Special("a wrong page size one by one", ONE_BY_ONE, "", "page=128", "rate=100 duty=50", "", ANY, ANY),
    Special("garbage", PROFILING, NO_PROFILER, "", "rate=100 duty=60", "garbage 0 0 500", ("lower",), ("lower",)),
]


def schedules(variant):
    """The schedules of a release: (title, variant, Special)."""
    return [(f"{special.title} in {variant}", variant, special) for special in SPECIALS if variant in special.releases]


def tell(variant, before=()):
    """Exit status, output and errors of a program that runs programs on chips, forks, opens its device again and ends.
    Without pids, and sorted, since the child may print later; and without the number of records that are in the ring,
    for which there is room only when the host has read others."""
    story = ["open 0", "queues 0", "play 0 count=200 rate=5000 duty=50 event=2", "counts 0", "fork", "open 1", "queues 1",
             "play 1 count=20", "counts 1", "exit 0", "end", "reap", "close 0", "open 0", "queues 0 queues=2",
             "play 0 count=50 rate=5000 duty=50 queue=1", "counts 0", "close 0", "exit 5"]
    done = subprocess.run([*before, *command(variant), *story], capture_output=True, text=True, timeout=60)
    assert done.returncode == 5, (variant, done)
    said = re.sub(r" records \d+", "", re.sub(r"^child \d+$", "child", done.stdout, flags=re.M))
    return done.returncode, sorted(said.splitlines()), done.stderr
