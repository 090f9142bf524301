"""Programs on simulated chips: what tt_smi shows is compared with what the workloads are to run.

programs.py TT_SMI-SIM

No test depends on speed: a figure is true of the last second, and is requested until it is one of a second in which the
processes were not held up."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIM = Path(sys.argv[1])
TT_SMI = SIM.with_name("tt_smi")


class Machine:
    """A simulated machine that runs while the object is used."""

    def __init__(self, *options):
        self.work = tempfile.TemporaryDirectory(dir=f"/dev/shm/{os.environ.get('TT_TEST_RUN', '')}")
        self.root = Path(self.work.name, "sim")
        self.process = subprocess.Popen([SIM, *options, self.root])
        until(lambda: (self.root / "simulated").exists())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.work.cleanup()

    def fill_windows(self):
        """From now on figures are of a whole second."""
        time.sleep(1.2)

    def look(self):
        shown = subprocess.run([TT_SMI, "--root", self.root, "--json"], check=True, capture_output=True)
        return json.loads(shown.stdout)

    def device(self, number):
        return figure_of(next(device for device in self.look()["devices"] if device["id"] == number))

    def process_on(self, number, name="workload"):
        return next((figure_of(device) for process in self.look()["processes"] if process["name"].startswith(name)
                     for device in process["devices"] if device["id"] == number), None)

    def pids(self):
        return [process["pid"] for process in self.look()["processes"]]

    def next_fault(self):
        self.process.send_signal(signal.SIGUSR1)


def figure_of(device):
    return {**device["utilization"], "why": device["unavailable"].get("utilization.dispatch")}


def until(condition, describe=lambda: ""):
    """Repeats until the condition is fulfilled. The limit only ends a test that hangs."""
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, f"not within five minutes: {describe()}"
        time.sleep(0.05)


def shows(look, condition, what):
    """Looks until a figure fulfils the condition, and returns it."""
    seen = []

    def fulfilled():
        seen.append(look())
        return seen[-1] and condition(seen[-1])
    until(fulfilled, lambda: f"{what}: {seen[-1]}")
    return seen[-1]


def is_exact(share):
    return lambda figure: figure["bound"] == "exact" and abs(figure["dispatch"] - share) <= 0.01


def each_kind_of_figure():
    specs = ["dev=0,busy=85", "dev=1,busy=40,lose=10", "dev=2,busy=60,release=0.65", "dev=3,busy=50,hang=0.2",
             "dev=4,busy=0", "dev=5,busy=50,until=0.5", "dev=6,busy=70,op=reduce_scatter,rate=50",
             "dev=7,busy=50,dispatch=slow", "dev=8,busy=50,hang=0"]
    with Machine("-b", "9xn150", *(word for spec in specs for word in ("-w", spec))) as machine:
        first = machine.device(0)
        assert first["dispatch"] is not None, f"no figure when the machine has started: {first}"
        machine.fill_windows()
        exact = shows(lambda: machine.device(0), is_exact(0.85), "exact")
        assert exact["operation"] == "ttnn::matmul", exact
        shows(lambda: machine.device(0), lambda figure: abs(figure["programs"] - 100) <= 2, "programs per second")
        for _ in range(20):
            lower = machine.device(1)
            assert lower["bound"] in ("lower", None) and (lower["dispatch"] or 0) <= 0.41, lower
        shows(lambda: machine.device(1), lambda figure: 0.35 <= (figure["dispatch"] or 0) <= 0.37, "lower bound")
        shows(lambda: machine.device(2), lambda figure: figure["bound"] == "upper" and 0.6 <= figure["dispatch"] < 0.9,
              "upper bound")
        hung = shows(lambda: machine.device(3), lambda figure: (figure["running"] or 0) >= 2, "running")
        assert hung["bound"] == "lower", hung
        first = shows(lambda: machine.device(8), lambda figure: (figure["running"] or 0) >= 2, "the first one is running")
        assert first["bound"] == "upper", first
        text = subprocess.run([TT_SMI, "--root", machine.root], check=True, capture_output=True, text=True).stdout
        assert "run " in text, text
        idle = machine.device(4)
        assert (idle["dispatch"], idle["bound"], idle["programs"]) == (0, "exact", 0), idle
        ended = shows(lambda: machine.device(5), lambda figure: (figure["last_program"] or 0) >= 2, "last program")
        assert (ended["dispatch"], ended["bound"]) == (0, "exact"), ended
        named = shows(lambda: machine.device(6), is_exact(0.7), "50 programs per second")
        assert named["operation"] == "reduce_scatter", named
        shows(lambda: machine.device(7), lambda figure: figure["dispatch"] is None and figure["why"] == "slow_dispatch", "slow")


def few_programs():
    """They are launched so far ahead of the chip that their times are not certain to 1 %."""
    with Machine("-b", "n150", "-w", "dev=0,busy=70,rate=5") as machine:
        machine.fill_windows()
        figure = shows(lambda: machine.device(0), lambda figure: 0.55 <= (figure["dispatch"] or 0) <= 0.7, "5 per second")
        assert figure["bound"] == "lower" and 4 <= figure["programs"] <= 6, figure


def boards():
    """A Blackhole's clock is not in ns, and nothing is measured on an n300: a bound if the process waits."""
    specs = ["dev=1,busy=33.3,rate=1000", "dev=0,busy=45,name=waiting", "dev=0+2,busy=100,name=both"]
    with Machine("-b", "n300,p150a,n150", *(word for spec in specs for word in ("-w", spec))) as machine:
        machine.fill_windows()
        shows(lambda: machine.device(1), is_exact(0.333), "1000 programs per second on Blackhole")
        shows(lambda: machine.process_on(0, "waiting"),
              lambda figure: figure["bound"] == "upper" and 0.45 <= figure["dispatch"] < 0.9, "n300, waiting")
        shows(lambda: machine.process_on(2, "both"), is_exact(1), "always a program")
        ahead = machine.process_on(0, "both")
        assert ahead["dispatch"] is None and ahead["why"] == "ethernet_dispatch", ahead
        device = machine.device(0)
        assert device["dispatch"] is None and device["why"] == "ethernet_dispatch", device
        remote = next(figure_of(device) for device in machine.look()["devices"] if device["location"]["remote"])
        assert remote["dispatch"] is None and remote["why"] == "no_pcie", remote


def two_processes():
    with Machine("-b", "n150", "-w", "dev=0,busy=50,name=first", "-w", "dev=0,busy=20,name=second") as machine:
        machine.fill_windows()
        shows(lambda: machine.process_on(0, "first"), is_exact(0.5), "first")
        shows(lambda: machine.process_on(0, "second"), is_exact(0.2), "second")
        shows(lambda: machine.device(0), lambda figure: figure["bound"] in ("exact", "lower") and
              0.49 <= figure["dispatch"] <= 0.71, "union")


def dead_chip():
    """Its program stays unfinished until the chip is back; programs on all chips wait for it."""
    with Machine("-b", "2xn150", "-w", "dev=0+1,busy=60", "--fault", "dead:0@1000-2000") as machine:
        shows(lambda: machine.process_on(0), is_exact(0.6), "before the fault")
        machine.next_fault()
        shows(lambda: machine.process_on(0), lambda figure: (figure["running"] or 0) >= 2, "dead")
        shows(lambda: machine.process_on(1), lambda figure: figure["dispatch"] == 0, "the other chip")
        machine.next_fault()
        for number in 0, 1:
            shows(lambda: machine.process_on(number), is_exact(0.6), "after the fault")


def another_start():
    with Machine("-b", "n150", "-w", "dev=0,busy=30,life=0.6,again=0.2") as machine:
        pids = set()

        def grown():
            figure = machine.process_on(0)
            pids.update(machine.pids() if figure and is_exact(0.3)(figure) else [])
            return len(pids) >= 2
        until(grown, lambda: f"figures of {pids}")


def switches(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])


def cost():
    """The process runs a few times a second, whatever the number of programs."""
    with Machine("-b", "n150", "-w", "dev=0,busy=50,rate=1000") as machine:
        pid, = machine.pids()
        before, begun = switches(pid), time.monotonic()
        time.sleep(2)
        assert switches(pid) - before <= 10 * (time.monotonic() - begun) + 5, switches(pid) - before


for test in each_kind_of_figure, few_programs, boards, two_processes, dead_chip, another_start, cost:
    print(test.__name__, flush=True)
    test()
