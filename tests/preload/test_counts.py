"""The preloaded library counts what the program itself has counted, to the byte."""

import json
import os
import resource
import signal
import subprocess
import sys

from metal import LIBRARIES, METAL, Program, run, run_tests, totals, without
from preload import BUILD, HERE, RUN, SHIM, TT_SMI, Host, counted, eventually, flags, has_open, preloaded, tables

RANDOM = ("mesh m 0 1", "open 2", "random 5 3000 3", "close m", "mesh m 0 1", "close 2", "open 2",
          "random 6 2000 2")
PLUGIN = METAL + "/%s/metal_plugin.so"


def agree(program):
    assert without(preloaded(program.pid)) == without(program.totals()), program.totals()


def test_random_runs_agree_in_all_versions(_):
    for variant in [*LIBRARIES, "v66-stepped"]:
        program = Program(variant, before=RUN)
        program.do(*RANDOM)
        agree(program)
        program.do("close 0", "close 1", "bulk 2")
        agree(program)
        assert program.end() == 0, variant


def test_libraries_that_are_loaded_for_themselves(_):
    for host in ("load", "python"):
        for variant in ("v77", "v62", "v62-ttnncpp", "v56"):
            program = Program(variant, host, before=RUN)
            program.do(*RANDOM)
            agree(program)
            assert program.end() == 0, (host, variant)


def test_the_program_runs_as_without(_):
    for variant in LIBRARIES:
        for host in ("run", "load"):
            script = ("mesh m 0 1", "alloc a 0 dram 100G", "alloc b m l1 1M", "complain", "random 3 2000", "bulk m",
                      "dry on", "alloc c 0 dram 1M", "dry off", "thread alloc d 0 l1 1K", "close 0", "exit 7")
            bare, counted_one = run(variant, *script, host=host), run(variant, *script, host=host, before=RUN)
            assert (bare.returncode, bare.stdout, bare.stderr) == (7, counted_one.stdout, counted_one.stderr)
            assert counted_one.returncode == 7


def test_what_takes_nothing_is_not_counted(_):
    for variant in ("v77", "v57", "v56"):
        program = Program(variant, before=RUN)
        program.do("mesh m 0 1", "alloc a 0 dram 1M", "dry on", "alloc b 0 dram 1M", "alloc c m l1 1M", "dry off",
                   "alloc d 0 l1 0", "at e 0 dram 1M 64", "view f a 4096", "alloc g 0 dram 100G", "free f e d b c")
        agree(program)
        assert without(preloaded(program.pid))[0]["dram"] == 1 << 20
        program.end()


def test_a_mesh_buffer_counts_once_per_member(_):
    program = Program("v77", before=RUN)
    program.do("mesh m 0 2 5", "alloc a m dram 1M", "alloc b m l1_small 4K")
    figures = without(preloaded(program.pid))
    assert set(figures) == {0, 2, 5}
    assert all(sums["dram"] == 1 << 20 and sums["l1_small"] == 4096 for sums in figures.values())
    program.do("close m", "mesh n 1 2", "alloc c n dram 3M")  # n may have the address of m
    figures = without(preloaded(program.pid))
    assert set(figures) == {1, 2} and figures[1]["dram"] == 3 << 20, figures
    program.do("free a b")
    agree(program)
    program.end()


def test_a_forked_child_owns_nothing(_):
    program = Program("v77", before=RUN)
    program.do("alloc a 0 dram 1M")
    child = int(program.do("fork", "free a", "alloc b 1 l1 4K", "sleep 60000", "end").split()[1])
    try:
        # The child inherits its parent's descriptor and closes it.
        eventually(lambda: [without(counted(table)) for table in tables(child)] == [
            {1: {"buffers": 1, "dram": 0, "l1": 4096, "system": 0, "l1_small": 0, "trace": 0}}])
        agree(program)
    finally:
        os.kill(child, signal.SIGKILL)
    child = int(program.do("reap", "fork", "free a", "hold /dev/urandom", "sleep 60000", "end").splitlines()[-1].split()[1])
    try:
        eventually(lambda: has_open(child, "/dev/urandom"))
        assert tables(child) == []
    finally:
        os.kill(child, signal.SIGKILL)
    program.end()


def test_exec_begins_anew(_):
    program = Program("v77", before=RUN)
    program.do("alloc a 0 dram 1M")
    program.do("exec", "alloc b 0 dram 2M")
    agree(program)
    assert without(preloaded(program.pid))[0]["dram"] == 2 << 20
    program.end()


def test_many_threads_and_a_kill(_):
    program = Program("v77", before=RUN)
    program.do("mesh m 0 1 2 3", "open 0", "random 9 4000 8")
    agree(program)
    assert program.kill() == -signal.SIGKILL


def test_two_copies_in_one_process(_):
    first = "mesh m 0 1,alloc a 0 dram 1M,random 1 2000 2,bulk 0,alloc b m l1 4K,total"
    second = "mesh n 0 3,open 2,random 2 2000 2,alloc c 2 dram 4M,free c,close 2,total"
    host = Host(f"{HERE}/host", "0", PLUGIN % "v77", first, PLUGIN % "v62-ttnncpp", second)
    with open(f"/proc/{host.pid}/maps") as maps:
        mapped = maps.read()
    assert "/v77/libtt_metal.so" in mapped and "/v62-ttnncpp/_ttnncpp.so" in mapped
    at = host.lines.index("done\n") + 1
    sums = {}
    for lines in (host.lines[:at], host.lines[at:]):
        for chip, figures in totals("".join(lines))[host.pid].items():
            for name, number in figures.items():
                sums.setdefault(chip, {}).setdefault(name, 0)
                sums[chip][name] += number
    assert without(preloaded(host.pid)) == without(sums), sums
    assert host.end() == (0, "")


def test_versions_that_only_track(_):
    host = Host(f"{HERE}/old_host", "aadxn0af")
    figures = without(preloaded(host.pid))
    assert figures == {3: {"buffers": 2, "dram": 8192, "l1": 0, "system": 0, "l1_small": 0, "trace": 0}}, figures
    assert host.lines == [] and host.end() == (0, "")


def test_what_cannot_be_right_is_withdrawn_with_one_line(_):
    """Counting stops for an unknown version, and if a buffer appears at an address that is in use: a free was missed."""
    for name, script, why in (("strange_host", "aadxfa", "unknown version of TT-Metal"),
                              ("old_host", "auauaa", "missed the free of a buffer")):
        for quiet in ([], ["-q"]):
            host = Host(f"{HERE}/{name}", script, before=[*RUN, *quiet])
            assert tables(host.pid) == [] and host.lines == [], (name, host.lines)
            code, error = host.end()
            assert code == 0 and error.count("\n") == (not quiet) and (quiet or why in error), (name, error)


def test_an_unknown_shape_is_left_alone(_):
    for quiet in ([], ["-q"]):
        done = run("v66-other", "alloc a 0 dram 1M", "total", before=[*RUN, *quiet])
        assert done.returncode == 0 and "dram 1048576" in done.stdout
        lines = done.stderr.splitlines()
        assert len(lines) == (0 if quiet else 1), lines
        assert quiet or "v66-other/libtt_metal.so" in lines[0] and "not counted" in lines[0]
    program = Program("v66-other", before=[*RUN, "-q"])
    program.do("alloc a 0 dram 1M")
    assert tables(program.pid) == []
    program.end()


def shown(root, pid):
    """What tt_smi shows of a process, and its status."""
    environment = {**os.environ, "TT_SMI_ROOT": root, "LC_ALL": "C"}
    text = subprocess.run([TT_SMI, "--json"], capture_output=True, text=True, env=environment, timeout=300).stdout
    process, = [process for process in json.loads(text)["processes"] if process["pid"] == pid]
    table = subprocess.run([TT_SMI, "--ascii"], capture_output=True, text=True, env=environment, timeout=300).stdout
    line, = [line for line in table.splitlines() if f" {pid} " in line]
    return process["devices"], line


def machine(directory):
    """A simulated machine of two cards; processes that are linked below its /proc are part of it."""
    root = directory + "/sim"
    sim = subprocess.Popen([BUILD + "/tt_smi-sim", "--no-workloads", "--driver", "2.4.0", "-b", "2xn150", root])
    eventually(lambda: os.path.exists(root + "/simulated") and os.path.getsize(root + "/simulated"))
    return root, sim


def test_tt_smi_shows_it_and_its_own_report_wins(directory):
    root, sim = machine(directory)
    environment = {**os.environ, "TT_SMI_ROOT": root}
    hold = f"hold {root}/dev/tenstorrent/0,hold {root}/dev/tenstorrent/1,"
    try:
        for own, tracking, dram, status in ((0, "preload", 1 << 20, "Preloaded"), (5 << 20, "table", 5 << 20, "")):
            host = Host(f"{HERE}/host", str(own), PLUGIN % "v77", hold + "alloc a 0 dram 1M,alloc b 1 dram 2M",
                        env=environment)
            os.symlink(f"/proc/{host.pid}", f"{root}/proc/{host.pid}")
            devices, line = shown(root, host.pid)
            assert [(d["tracking"], d["dram"]) for d in devices] == [(tracking, dram), ("preload", 2 << 20)], devices
            assert devices[1]["allocations_made"] == 1 and devices[1]["allocations_failed"] is None, devices
            assert status in line, line
            assert host.end() == (0, "")
            os.unlink(f"{root}/proc/{host.pid}")
    finally:
        sim.terminate()
        sim.wait()


def test_its_own_report_has_a_table_of_its_own(_):
    host = Host(f"{HERE}/host", str(5 << 20), PLUGIN % "v77", "alloc a 0 dram 1M,alloc b 1 dram 2M")
    by_flag = {flags(table): without(counted(table)) for table in tables(host.pid)}
    assert by_flag[0][0]["dram"] == 5 << 20 and by_flag[1][0]["dram"] == 1 << 20 and by_flag[1][1]["dram"] == 2 << 20
    assert host.end() == (0, "")


def test_a_program_with_a_sanitizer(_):
    host = Host(f"{HERE}/host_asan", "0", PLUGIN % "v77", "alloc a 0 dram 1M,alloc b 0 dram 100G",
                env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    assert without(preloaded(host.pid))[0]["dram"] == 1 << 20
    assert host.end() == (0, "")


def test_callers_that_have_no_metal_among_their_libraries(_):
    host = Host(f"{HERE}/host", "0", PLUGIN % "v77", "unlinked,alloc a 0 dram 1M")
    assert host.lines[0] == "forgotten\n", host.lines
    assert without(preloaded(host.pid))[0]["dram"] == 1 << 20
    assert host.end() == (0, "")


def test_it_is_not_taken_for_metal(_):
    """The preloaded library must not look like TT-Metal to a tracer, although it has the same symbols."""
    done = subprocess.run([METAL + "/metal_look", SHIM], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and "No such file" in done.stderr, done


def test_a_process_without_a_table_gets_a_warning(_):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    for quiet in ([], ["-q"]):
        done = subprocess.run([*RUN, *quiet, f"{METAL}/v77/metal_run", "alloc a 0 dram 1M", "alloc b 0 dram 1M", "free a", "total"],
                              capture_output=True, text=True, timeout=300, preexec_fn=limit)
        assert done.returncode == 0 and "dram 1048576" in done.stdout, done
        assert done.stderr.count("\n") == (not quiet) and (quiet or "cannot create a table" in done.stderr), done.stderr


def test_tracking_can_be_turned_off(_):
    program = Program("v77", before=[*RUN, "-q"], env={**os.environ, "TT_ALLOC_TRACKING_ENABLED": "0"})
    program.do("mesh m 0 1", "random 5 1000 2")
    assert tables(program.pid) == []
    assert program.end() == 0


run_tests(sys.modules[__name__])
