"""A program has the same output and exit status whether it is traced, preloaded, both, or neither."""

import re
import resource
import subprocess
import sys

import staged
from metal import UNSUPPORTED, command, run_tests
from staged import LIFE, SUPPORTED, TT_SMI, Tracing, expect, traced_file, tracer

staged.enter()
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

STORIES = [
    (["open 0 1", "mesh m 0 1", "alloc a 0 dram 1000", "alloc b m l1 2M", "alloc c 0 dram 20G", "complain",
      "view v a 500", "at w 0 dram 4096 0", "dry on", "alloc x 0 dram 1G", "dry off", "free v w x",
      "random 7 300", "total", "random 8 150 4", "close m", "exit 3"], 3),
    (["alloc a 0 dram 2G", "alloc b 0 dram 2G", "free a", "alloc b 0 dram 2G", "total"], 0),
    (["alloc a 0 dram 5", "fork", "alloc c 0 l1 5G", "free a", "exit 4", "end", "reap", "exec", "open 0",
      "random 3 300", "kill 15"], -15),
    # With one thread, since the order of several threads differs from run to run.
    ([re.sub(r"(random .*) \d$", r"\1", step).format(20, 50) for steps in LIFE for step in steps] + ["total", "kill 9"],
     -9),
    (["mesh m 0 1", "alloc a m dram 1M", "uncaught m dram 50G"], -6),
    (["mesh m 0 1 2 3", "alloc a m dram 1M", "close m", "deallocate a", "thread alloc b 0 dram 50G", "nonsense"], 2),
]


def tell(variant, host, before=()):
    """Exit status, output and errors of each scenario, without pids; sorted, since a child may print later."""
    said = []
    for story, _ in STORIES:
        done = subprocess.run([*before, *command(variant, host), *story], capture_output=True, text=True, timeout=60)
        lines = re.sub(r"^(total|child) \d+$", r"\1", done.stdout, flags=re.M).splitlines()
        said.append((done.returncode, sorted(lines), done.stderr))
    return said


def hosts():
    for variant in SUPPORTED + UNSUPPORTED:
        yield variant, "run"
        if variant in ("v77", "v62-inlined"):
            yield variant, "load"
            yield variant, "python"


def test_programs_say_and_end_the_same_when_they_are_watched(_):
    untold = {(variant, host): tell(variant, host) for variant, host in hosts()}
    for (variant, host), stories in untold.items():
        if host == "run":  # others cannot execute themselves again
            expect([code for code, *_ in stories], [code for _, code in STORIES], variant)

    def same(how, *before):
        for (variant, host), stories in untold.items():
            expect(tell(variant, host, before), stories, variant, host, how)
    same("preloaded", TT_SMI, "run", "-q", "--")
    with Tracing():
        for variant in SUPPORTED + UNSUPPORTED:
            tracer("start", traced_file(variant), check=False)
        same("traced")
        same("traced and preloaded", TT_SMI, "run", "-q", "--")


run_tests(sys.modules[__name__])
