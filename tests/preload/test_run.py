"""tt_smi run: what it executes, and what it leaves unchanged."""

import os
import re
import shutil
import signal
import struct
import subprocess
import sys

from metal import METAL, Program, Skip, run_tests
from preload import HERE, RUN, SHIM, TT_SMI, Host, eventually, has_open, preloaded, tables


def start(*command, **options):
    return subprocess.run([*RUN, *command], capture_output=True, text=True, timeout=300, **options)


def test_exit_status_and_signals_are_the_commands(_):
    assert start("sh", "-c", "exit 7").returncode == 7
    assert start("--", "sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM
    assert start("-q", "--no-children", "--", "true").returncode == 0
    assert start("echo", "-q", "--help").stdout == "-q --help\n"


def test_what_cannot_be_executed(directory):
    done = start("no-such-command")
    assert done.returncode == 127 and "no-such-command" in done.stderr
    assert start(directory + "/nothing").returncode == 127
    done = start("/etc/passwd")
    assert done.returncode == 126 and "Permission denied" in done.stderr
    assert start().returncode == 2 and start("--").returncode == 2
    done = start("--no-such-option", "true")
    assert done.returncode == 2 and "--no-such-option" in done.stderr


def test_scripts_are_counted_by_their_interpreter(directory):
    script = directory + "/script"
    for first in ("#!/bin/sh", "#!/usr/bin/env sh", ""):
        with open(script, "w") as file:
            file.write(f"{first}\nexec {METAL}/v77/metal_run 'alloc a 0 dram 1M' wait\n")
        os.chmod(script, 0o755)
        for options in ([], ["--no-children"]):
            host = Host(*options, script)
            assert preloaded(host.pid)[0]["dram"] == 1 << 20, (first, options)
            assert host.end() == (0, "")


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return int(file.read().split()[0])


def test_children_are_counted_or_not(_):
    command = ["sh", "-c", f"{METAL}/v77/metal_run 'alloc a 0 dram 1M' wait; true"]
    host = Host(*command)
    assert preloaded(child_of(host.pid))[0]["dram"] == 1 << 20 and tables(host.pid) == []
    assert host.end() == (0, "")
    host = Host("--no-children", *command)
    assert tables(child_of(host.pid)) == []
    assert host.end() == (0, "")
    program = Program("v77", before=[*RUN, "--no-children"])
    program.do("alloc a 0 dram 1M")
    child = int(program.do("fork", "alloc b 0 dram 1M", "hold /dev/urandom", "sleep 60000", "end").split()[1])
    try:
        eventually(lambda: has_open(child, "/dev/urandom"))
        assert preloaded(program.pid)[0]["dram"] == 1 << 20 and tables(child) == []
    finally:
        os.kill(child, signal.SIGKILL)
    program.end()


def environment(*options, shell="sh", **variables):
    """The environment of a child of the program."""
    done = start(*options, "sh", "-c", f"{shell} -c 'env; true'; true", env={**os.environ, **variables})
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def test_other_preloads_keep_working(directory):
    other = f"{HERE}/libother.so"
    found = environment(LD_PRELOAD=other)
    assert found["LD_PRELOAD"] == f"{SHIM}:{other}" and found["OTHER_PRELOAD"] == "was here"
    found = environment("--no-children", LD_PRELOAD=other)
    assert found["LD_PRELOAD"] == other and found["OTHER_PRELOAD"] == "was here"
    assert "TTALLOC_PRELOAD_ONLY" not in found
    for shell in ("sh", "bash"):  # the latter has an unsetenv() of its own
        found = environment("--no-children", "-q", shell=shell)
        assert not [name for name in found if name.startswith(("LD_PRELOAD", "TTALLOC_"))], (shell, found)
    shutil.copy(SHIM, directory)
    assert environment(LD_PRELOAD=f"{directory}/libttalloc-preload.so {other}")["LD_PRELOAD"] == f"{SHIM}:{other}"
    done = subprocess.run([*RUN, *RUN, "--no-children", *RUN, "env"], capture_output=True, text=True, timeout=300)
    assert f"\nLD_PRELOAD={SHIM}\n" in "\n" + done.stdout


def test_another_preload_that_takes_over_the_same_function(_):
    program = Program("v77", before=RUN, env={**os.environ, "LD_PRELOAD": f"{HERE}/libother.so"})
    assert "refused" in program.do("alloc a 0 dram 1M", "alloc b 0 dram 64G", "alloc c 0 l1 5", "free c")
    assert preloaded(program.pid)[0]["dram"] == 1 << 20
    said, _ = program.process.communicate(timeout=300)
    assert said == "other: 3 calls\n" and program.process.returncode == 0, said


def strace(directory, *command):
    trace = directory + "/trace"
    if not shutil.which("strace"):
        raise Skip("no strace here")
    done = subprocess.run(["strace", "-f", "-o", trace, "-e", "trace=%file,memfd_create,socket,mmap", *command],
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise Skip("strace: " + done.stderr.strip().splitlines()[-1])
    with open(trace) as file:
        text = file.read()
    # The system calls after the execve() of the program.
    text = text[text.rindex("execve("):]
    return set(re.findall(r'(?:openat|open|readlink|access|stat)\([^"]*"([^"]*)"', text)), text


def test_a_program_without_metal_opens_nothing_more(directory):
    if os.environ.get("TT_INSTRUMENTED"):
        raise Skip("built with " + os.environ["TT_INSTRUMENTED"] + ", whose runtime opens files")
    bare, _ = strace(directory, "/bin/true")
    files, text = strace(directory, *RUN, "--", "/bin/true")
    assert files - bare == {SHIM}, files - bare
    assert "memfd_create" not in text and "socket(" not in text


def test_a_program_of_another_user_is_named(directory):
    if os.geteuid() != 0:
        raise Skip("needs root, to make a set-user-ID program")
    program = directory + "/env"
    shutil.copy(shutil.which("env"), program)
    os.chown(program, 65534, 65534)
    os.chmod(program, 0o4755)
    done = start(program)
    assert done.returncode == 0
    assert program in done.stderr and "not counted" in done.stderr and done.stderr.count("\n") == 1
    assert start("-q", program).stderr == ""
    # A set-user-ID program of another user that may not be read.
    os.chown(program, 0, 0)
    os.chmod(program, 0o4711)
    os.chmod(directory, 0o755)
    for name in (TT_SMI, SHIM):
        shutil.copy(name, directory)
    done = subprocess.run([directory + "/tt_smi", "run", program], capture_output=True, text=True, timeout=300,
                          user=65534, cwd="/")
    assert program in done.stderr and "gains privileges" in done.stderr, done.stderr
    os.chmod(program, 0o755)
    assert start(program).stderr == ""
    os.chown(program, 0, 65534)
    os.chmod(program, 0o2755)
    assert "gains privileges" in start(program).stderr


def test_a_program_with_capabilities_is_named(directory):
    if os.geteuid() != 0:
        raise Skip("needs root, to give a program capabilities")
    program = directory + "/env"
    shutil.copy(shutil.which("env"), program)
    os.chmod(directory, 0o755)
    try:  # revision 2, effective, CAP_CHOWN
        os.setxattr(program, "security.capability", struct.pack("<5I", 0x02000001, 1, 0, 0, 0))
    except OSError as error:
        raise Skip(f"no capabilities of files here: {error}") from error
    for name in (TT_SMI, SHIM):
        shutil.copy(name, directory)
    done = subprocess.run([directory + "/tt_smi", "run", program], capture_output=True, text=True, timeout=300,
                          user=65534, cwd="/")
    assert program in done.stderr and "gains privileges" in done.stderr, done.stderr
    assert start(program).stderr == ""  # it gives root no privilege, so the library is preloaded


def test_a_static_program_is_named(_):
    done = start(f"{METAL}/static-whole/metal_run", "alloc a 0 dram 1M", "total")
    assert done.returncode == 0 and "dram 1048576" in done.stdout
    assert "statically" in done.stderr and done.stderr.count("\n") == 1


def test_a_program_that_contains_metal_is_named(_):
    for variant in ("static", "static-exported"):
        done = start(f"{METAL}/{variant}/metal_run", "alloc a 0 dram 1M", "total")
        assert done.returncode == 0 and "dram 1048576" in done.stdout
        assert "TT-Metal built in" in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_disabled_counting_is_reported(_):
    off = {**os.environ, "TT_ALLOC_TRACKING_ENABLED": "0"}
    done = start("true", env=off)
    assert done.returncode == 0 and "TT_ALLOC_TRACKING_ENABLED" in done.stderr and done.stderr.count("\n") == 1
    assert start("-q", "true", env=off).stderr == ""


def test_the_library_must_be_there(directory):
    shutil.copy(TT_SMI, directory + "/tt_smi")
    done = subprocess.run([directory + "/tt_smi", "run", "true"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 255 and "libttalloc-preload.so" in done.stderr
    os.mkdir(directory + "/a b")
    for name in (TT_SMI, SHIM):
        shutil.copy(name, directory + "/a b")
    done = subprocess.run([directory + "/a b/tt_smi", "run", "true"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 255 and "blank" in done.stderr


run_tests(sys.modules[__name__])
