"""Tests of the double itself: its symbols, the first instructions of its functions, and its totals."""

import os
import re
import subprocess
import sys

from metal import (DISPATCHING, HERE, LIBRARIES, METAL, PUBLISHING, STATIC, UNSUPPORTED, Program, command, library, published,
                   release, run, run_tests, totals, without)

# The probed functions that are called for every buffer.
HOT = re.compile(r"12GraphTracker1[46]track_|15allocate_bufferEPN|17deallocate_bufferEPN|6Buffer6createE.*mmm")

STORY = ["open 0 3", "mesh m 1 2", "alloc a 0 dram 1000", "alloc b m l1 2M", "alloc c 0 dram 20G",
         "alloc d 3 l1_small 5000", "alloc e 3 trace 6000", "alloc f 3 system 7000", "alloc z 0 dram 0",
         "view v a 500", "at w 0 dram 4096 0", "dry on", "alloc x 0 dram 1G", "dry off", "complain",
         "thread alloc t 3 l1 99", "free v", "thread free d", "deallocate e", "free w x z", "total",
         "random 7 2000", "total"]


def names():
    with open(HERE + "/names.txt", encoding="ascii") as file:
        for line in file:
            if not line.startswith("#"):
                first, last, name = line.split()
                name = re.sub("^PK(?=\\d)", "_ZNK2tt8tt_metal", name)
                yield int(first), int(last), re.sub("^P(?=\\d)", "_ZN2tt8tt_metal", name)


def exported(path):
    text = subprocess.check_output(["nm", "-D", "--defined-only", path], text=True)
    return {line.split()[2] for line in text.splitlines()}


def entries(path):
    """{name: first instruction} of the hot functions, past an endbr64."""
    text = subprocess.check_output(["objdump", "-d", "--no-show-raw-insn", path], text=True)
    found = {}
    for name, body in re.findall(r"<(\w+)>:\n((?:[^\n]+\n){1,2})", text):
        if HOT.search(name):
            found[name] = [line.split("\t")[1].split()[0] for line in body.splitlines()]
    return found


def test_names_are_those_of_the_release(_):
    for variant in {*LIBRARIES, *DISPATCHING, "v66-other", "v66-stepped"}:
        have = exported(library(variant))
        for first, last, name in names():
            assert (name in have) == (first <= release(variant) <= last), (variant, name)


def test_programs_with_the_library_inside_export_what_they_should(_):
    mine = next(name for _, _, name in names())
    assert mine in exported(f"{METAL}/static-exported/metal_run")
    assert mine not in exported(f"{METAL}/static/metal_run")
    text = subprocess.run(["nm", f"{METAL}/static-stripped/metal_run"], capture_output=True, text=True)
    assert mine not in text.stdout


def test_hot_functions_begin_with_a_push(_):
    for variant in LIBRARIES + ["v66-stepped"]:
        found = entries(library(variant))
        assert len(found) == 5, (variant, found)
        for name, (first, second) in found.items():
            endbr = variant == "v77-endbr"
            assert (first == "endbr64") == endbr, (variant, name, first)
            stepped = variant == "v66-stepped" and "deallocate_buffer" in name
            assert ((second if endbr else first) == "push") == (not stepped), (variant, name, first)


def test_the_tracker_is_called_through_the_plt_or_not_at_all(_):
    for variant in LIBRARIES:
        text = subprocess.check_output(["readelf", "-rW", library(variant)], text=True)
        assert ("14track_allocate" in text) == (variant != "v62-inlined"), variant
        assert "15allocate_buffer" in text and "__cxa_throw" in text, variant


def test_a_program_says_the_same_in_every_variant_and_host(_):
    expected = None
    for variant in LIBRARIES + STATIC + UNSUPPORTED:
        for host in ["run"] if variant.startswith("static") else ["run", "load", "python"]:
            done = run(variant, *STORY, host=host)
            said = re.sub(r"total \d+", "total", done.stdout)
            assert (done.returncode, done.stderr) == (0, ""), (variant, host, done)
            expected = expected or said
            assert said == expected, (variant, host, said)
    assert "c: refused: Out of Memory" in expected and "has no address" in expected
    assert "chip 0 dram 1000 l1 0 system 0 l1_small 0 trace 0 buffers 1\n" in expected
    assert "chip 2 dram 0 l1 2097152 system 0 l1_small 0 trace 0 buffers 1\n" in expected
    assert "chip 3 dram 0 l1 99 system 7000 l1_small 0 trace 0 buffers 2\n" in expected


def test_published_figures_are_the_programs_own(directory):
    for variant in PUBLISHING:
        program = Program(variant, env={**os.environ, "METAL_DOUBLE_SHM": directory})
        threads = 1 if variant == "v77" else 4
        steps = [["mesh m 0 1 2", "open 0 3", f"random 1 3000 {threads} real"], ["random 2 500 1 real"],
                 ["mesh n 2 3", f"random 3 1000 {threads} real", "alloc a 3 dram 77"], ["free a"],
                 ["close n", "close m", "close 0", "close 1", "close 2", "close 3"],
                 ["open 3", "alloc a 3 dram 77"], [f"random 5 500 {threads} real"]]
        for step in steps:
            program.do(*step)
            own = program.totals()
            shown = published(directory).get(program.pid, {})
            assert without(own, "system", "buffers") == without(shown), (variant, step, own, shown)
        assert program.kill() == -9
        assert without(published(directory)[program.pid]), "what is killed leaves its figures"


def test_published_figures_have_tt_metals_faults(directory):
    for variant in PUBLISHING:
        program = Program(variant, env={**os.environ, "METAL_DOUBLE_SHM": directory})

        def dram():
            return published(directory).get(program.pid, {}).get(0, {}).get("dram", 0)
        program.do("mesh m 0 1", "dry on", "alloc rehearsed 0 dram 3", "dry off")
        assert dram() == 3, variant
        program.do("thread alloc far 0 dram 50")
        assert dram() == (3 if variant == "v77" else 53), variant
        program.do("alloc left m dram 700", "close m", "free left rehearsed")
        assert dram() == (700 if variant == "v77" else 750), variant
        program.do("close 0")
        assert program.pid not in published(directory) or dram() == 0, variant
        program.kill()


def test_published_slots_of_the_killed_stay_or_go(directory):
    for variant in PUBLISHING:
        environment = {**os.environ, "METAL_DOUBLE_SHM": f"{directory}/{variant}"}
        os.mkdir(f"{directory}/{variant}")
        first = Program(variant, env=environment)
        first.do("alloc a 0 dram 5")
        first.kill()
        second = Program(variant, env=environment)
        second.do("alloc a 0 dram 7")
        left = published(f"{directory}/{variant}")
        assert set(left) == ({second.pid} if variant == "v77-shm4" else {first.pid, second.pid}), (variant, left)
        assert second.end() == 0


def test_a_chips_file_is_named_by_the_ids_that_are_given(directory):
    environment = {**os.environ, "METAL_DOUBLE_SHM": directory, "METAL_DOUBLE_IDS": "123,456"}
    run("v77", "alloc a 1 dram 5", "alloc b 2 dram 6", env=environment)
    assert sorted(os.listdir(directory)) == ["tt_device_2_memory", "tt_device_456_memory"]


def test_forks_execs_and_ends(_):
    done = run("v66", "alloc a 0 dram 5", "fork", "total", "free a", "alloc b 0 dram 7", "total", "exit 3",
               "end", "reap", "total", "exec", "alloc c 0 l1 9", "total", "kill 9")
    lists = [line for line in done.stdout.splitlines() if line.startswith("chip")]
    assert [line.split()[3] for line in lists] == ["0", "7", "5", "0"], done.stdout
    assert "child ended 3" in done.stdout and done.returncode == -9
    assert len(totals(done.stdout)) == 2
    assert run("v66", "exit 5").returncode == 5
    assert run("v66", "nonsense").returncode == 2
    reading = subprocess.run(command("v66"), input="alloc a 0 dram 5\nexec\ntotal\nfork\nsay child\nend\nreap\n",
                             capture_output=True, text=True, timeout=60)
    assert reading.stdout.splitlines()[-2:] == ["child", "child ended 0"] or "child\n" in reading.stdout


run_tests(sys.modules[__name__])
