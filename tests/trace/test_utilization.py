"""Compute utilisation from the tracer to the outputs of tt_smi."""

import contextlib
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import staged
from metal import Skip, library, run_tests
from sampling import Case, Sampling, begun, busy, follow, has_name, lines_of, read_lines, share
from staged import NUMBERS, TT_SMI, snapshot, wait_for_stop
from watcher import eventually

staged.enter()

PLAY = "background play 0 for=3600 rate=200 duty=60 sync"


def tt_smi(*arguments):
    return subprocess.check_output([TT_SMI, *arguments], text=True, timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8"})


def device_of(document):
    return next(device for device in document["devices"] if device["id"] == NUMBERS[0])


def shown_with(case, *arguments):
    """The output of tt_smi, and the line that it shows, which the stopped tracer does not change. After two seconds it
    would be out of date."""
    tracer, found = Sampling.last.process.pid, []

    def is_shown():
        line = next(iter(lines_of(read_lines(), case.pid, "0")), None)
        if not line or not has_name(line) or not busy("exact")(line):
            return False
        os.kill(tracer, signal.SIGSTOP)
        try:
            wait_for_stop(tracer)
            line, = lines_of(read_lines(), case.pid, "0")
            said = tt_smi(*arguments)
        finally:
            os.kill(tracer, signal.SIGCONT)
        if has_name(line) and busy("exact")(line) and time.monotonic_ns() - int(line["updated"]) < 2 * 10**9:
            found.append((said, line))
        return bool(found)
    eventually(is_shown)
    return found[0]


def test_every_output_has_the_figure_of_the_tracer(directory):
    """The process has a name with characters that would break a line."""
    name = f"{directory}/a b\tc\nd\x1b[1m\u00e9"
    os.symlink(os.path.dirname(library("v76")) + "/metal_run", name)
    case = Case("an odd name", "v76", (PLAY, busy("exact")), executable=name)
    with Sampling(["v76"], "--programs", "--names"), begun([case], directory + "/"):
        follow([case])
        assert re.fullmatch(r"a_b_c_d_\[1m_+", lines_of(read_lines(), case.pid, "0")[0]["comm"]), read_lines()

        said, line = shown_with(case, "--json")
        device = device_of(json.loads(said))
        process = next(one for one in json.loads(said)["processes"] if one["pid"] == case.pid)
        for figure in device["utilization"], process["devices"][0]["utilization"]:
            assert abs(figure["dispatch"] - share(line)) < 1e-9 and figure["bound"] == "exact", (figure, line)
            assert figure["operation"] == "ttnn::matmul", figure

        said, line = shown_with(case, "-i", str(NUMBERS[0]), "--query-gpu=utilization.gpu,utilization.bound",
                                "--format=csv,noheader,nounits")
        percent, bound = next(csv.reader(io.StringIO(said), skipinitialspace=True))
        assert abs(float(percent) / 100 - share(line)) <= 0.0051 and bound == "exact", (said, line)

        for arguments in (), ("-q", "-i", str(NUMBERS[0])):
            said, line = shown_with(case, *arguments)
            near = {f"{100 * share(line) + off:.0f}" for off in (-0.01, 0, 0.01)}
            assert any(re.search(rf"\b{percent} ?%", said) for percent in near), (arguments, said, line)
        assert "\x1b" not in tt_smi()


def test_bounds_and_reasons_reach_the_outputs(directory):
    # The host never learns that a program has ended.
    upper = Case("an upper bound", "v60", ("background play 0 for=3600 rate=100 duty=40",
                                           lambda line: busy("upper")(line) and line["running"] != "-"))
    with Sampling(["v60"], "--programs"), begun([upper], directory):
        follow([upper])
        eventually(lambda: re.search(r"≤\d+%", tt_smi()))
        eventually(lambda: re.search(r", upper$", tt_smi("--query-gpu=utilization.gpu,utilization.bound", "--format=csv,noheader"),
                                     re.M))
        figure = device_of(snapshot())["utilization"]
        assert figure["programs"] is None and figure["bound"] == "upper", figure
    unknown = Case("no profiler", "v60", ("background play 0 for=3600 rate=100 duty=40", lambda line: line["state"] == "no-profiler"),
                   chip="-")
    with Sampling(["v60"]), begun([unknown], directory):
        follow([unknown])
        eventually(lambda: device_of(snapshot())["unavailable"].get("utilization.dispatch") == "no_profiler")
        said = subprocess.run([TT_SMI, "doctor"], capture_output=True, text=True, timeout=60).stdout
        assert "--programs" in said, said


def test_doctor_names_the_process_whose_layout_is_refused(directory):
    """With launches there is an upper bound, and the reason is the same."""
    for options, effect, shown in ((), "unknown", lambda line: line["bound"] == "-"), (("--programs",), "only an upper bound", busy("upper")):
        setup = ("open 0", "queues 0 page=128 poll=2000")
        refused = Case("a wrong page size", "v76", ("background play 0 for=3600 rate=100 duty=40", shown), setup=setup,
                       chip="0" if options else "-")
        other = Case("a known layout", "v76", (PLAY, busy("exact", "lower")))
        with Sampling(["v76"], *options), begun([refused, other], directory + "/"):
            follow([refused, other])
            finding = f"{refused.pid} metal_run, device {NUMBERS[0]}: {effect}: layout of the profiler not known"

            def is_named(finding=finding):
                said = subprocess.run([TT_SMI, "doctor"], capture_output=True, text=True, timeout=60).stdout
                return finding in said and not re.search(rf"{other.pid} metal_run, device.*:", said)
            eventually(is_named)


@contextlib.contextmanager
def terminal(directory, command):
    """A function that returns what a terminal with this command shows."""
    if not shutil.which("tmux") or not os.path.exists("/dev/ptmx"):
        raise Skip("no tmux, or no terminals here")
    tmux = ["tmux", "-u", "-S", directory + "/tmux"]
    environment = {**{k: v for k, v in os.environ.items() if k != "TMUX"}, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
                   "SHELL": "/bin/sh"}
    subprocess.run([*tmux, "-f", "/dev/null", "new-session", "-d", "-x", "180", "-y", "50", command], env=environment, check=True)
    server = subprocess.check_output([*tmux, "display-message", "-p", "#{pid}"], text=True).strip()
    try:
        yield lambda: subprocess.check_output([*tmux, "capture-pane", "-p"], text=True)
    finally:
        subprocess.run([*tmux, "kill-server"], check=True)
        eventually(lambda: not os.path.exists(f"/proc/{server}/exe"))


def shows_figures(text, pid):
    """The panel of the device, the column of the process, and a chart with a heading and at least one column of dots."""
    rows = text.splitlines()
    chart = next((at for at, row in enumerate(rows) if re.search(rf"Compute  device {NUMBERS[0]}  \d+", row)), None)
    return (re.search(r"busy \d+%", text) and re.search(rf"^\W*{pid} .* \d+% ", text, re.M) and chart is not None
            and sum(bool(re.search(r"[\u2801-\u28ff]$", row.rstrip())) for row in rows[chart + 1:chart + 16]) >= 3)


def test_the_full_screen_shows_what_is_measured(directory):
    case = Case("a steady share", "v76", (PLAY, busy("exact")))
    with Sampling(["v76"], "--programs"), begun([case], directory + "/"):
        follow([case])
        with terminal(directory, f"{TT_SMI} -w") as screen:
            eventually(lambda: shows_figures(screen(), case.pid))


run_tests(sys.modules[__name__])
