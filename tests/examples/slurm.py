"""Runs a Slurm of one node with the example prolog and epilog, in private namespaces.

    slurm.py DIRECTORY MACHINE

DIRECTORY has prolog and epilog, MACHINE is the simulated machine that they check: one n150.
"""

import fcntl
import glob
import json
import os
import pwd
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

WORK, MACHINE = sys.argv[1:]
DEVICE = MACHINE + "/dev/tenstorrent/0"
CONFIGURATION = f"""
ClusterName=test
SlurmctldHost=node(127.0.0.1)
SlurmUser={pwd.getpwuid(os.getuid()).pw_name}
SlurmdUser={pwd.getpwuid(os.getuid()).pw_name}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={WORK}/munge.socket
StateSaveLocation={WORK}/state
SlurmdSpoolDir={WORK}/spool
SlurmctldPidFile={WORK}/slurmctld.pid
SlurmdPidFile={WORK}/slurmd.pid
SlurmctldLogFile={WORK}/slurmctld.log
SlurmdLogFile={WORK}/slurmd.log
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
SchedulerParameters=requeue_setup_env_fail
Prolog={WORK}/prolog
PrologFlags=Alloc
Epilog={WORK}/epilog
NodeName=node NodeAddr=127.0.0.1 CPUs=1
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
"""


def eventually(condition, what):
    end = time.monotonic() + 300
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within two minutes: {what}\n{node()}\n{output('squeue', '-t', 'all')}\n{log()}")


def bring_up_loopback():
    """Sets up the loopback interface with a second address: Slurm resolves names only to families of addresses
    that are in use, and 127.0.0.1 does not count."""
    with socket.socket() as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 0x41))  # SIOCSIFFLAGS: up, running
        address = socket.inet_aton("192.0.2.1")
        fcntl.ioctl(s, 0x8916, struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, address))  # SIOCSIFADDR


def output(*words):
    """What a command prints; empty if it fails, as commands do until the daemons answer."""
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()


def daemon(*words):
    log = open(f"{WORK}/{words[0]}.out", "w")
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def node():
    """The state of the node, and the reason if it is drained: "drained Prolog error"."""
    return output("sinfo", "-h", "-N", "-o", "%T %E").removesuffix(" none")


def job_state(job):
    """The state of a job, and the reason if it waits: "PENDING Resources"."""
    return output("squeue", "-h", "-t", "all", "-o", "%T %r", "-j", job).removesuffix(" None")


def log():
    with open(WORK + "/slurmd.log") as file:
        return file.read()


def set_temperature(celsius):
    (path,) = glob.glob(MACHINE + "/sys/class/tenstorrent/tenstorrent!0/device/hwmon/*/temp1_input")
    with open(path, "w") as file:
        file.write(f"{celsius * 1000}\n")


def submit(script, *options):
    return output("sbatch", "--parsable", "--requeue", "-o", WORK + "/job-%j", *options, "--wrap", script)


def runs(text):
    """Asserts that a job runs, and that the node is idle again afterwards."""
    job = submit("echo " + text)
    eventually(lambda: job_state(job) == "COMPLETED", f"job {job} completed")
    assert open(f"{WORK}/job-{job}").read() == text + "\n"
    eventually(lambda: node() == "idle", "the node idle")


def repair():
    assert subprocess.run(["scontrol", "update", "nodename=node", "state=resume"]).returncode == 0


def start_slurm():
    for name in "state", "spool":
        os.mkdir(f"{WORK}/{name}")
    with open(WORK + "/slurm.conf", "w") as file:
        file.write(CONFIGURATION)
    with open(WORK + "/key", "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(os.urandom(64))
    os.environ["SLURM_CONF"] = WORK + "/slurm.conf"
    # --force: in a user namespace the directories above belong to no known user.
    files = [f"--{name}-file={WORK}/munge.{name}" for name in ("pid", "seed", "log")]
    daemons = [daemon("munged", "-F", "--force", f"--socket={WORK}/munge.socket", f"--key-file={WORK}/key", *files)]
    eventually(lambda: os.path.exists(WORK + "/munge.socket"), "munged")
    daemons.append(daemon("slurmctld", "-D"))
    daemons.append(daemon("slurmd", "-D", "-N", "node"))
    eventually(lambda: node() == "idle", "the node idle")
    return daemons


def prolog_judges_the_node():
    runs("fit")
    assert "prolog failed" not in log() and "epilog failed" not in log(), log()
    set_temperature(72)  # a warning: its limit is 75
    runs("warm")
    set_temperature(80)
    job = submit("echo cool again")
    eventually(lambda: node() == "drained Prolog error", "the node drained")
    assert "TT_SMI CRITICAL: device 0: n150: too hot: 80.0 C" in log(), log()
    eventually(lambda: job_state(job) == "PENDING launch failed requeued held", "the job in the queue again")
    set_temperature(50)
    repair()
    # Slurm holds the job, and would not start it again for two minutes.
    for words in ["release", job], ["update", "jobid=" + job, "starttime=now"]:
        assert subprocess.run(["scontrol", *words]).returncode == 0
    eventually(lambda: job_state(job) == "COMPLETED", "the job completed")
    assert open(f"{WORK}/job-{job}").read() == "cool again\n"


def epilog_finds_what_a_job_left():
    eventually(lambda: node() == "idle", "the node idle")
    # A process that outlives the job: it is in a session of its own, and its parent has exited.
    job = submit(f"(setsid sh -c 'echo $$ >{WORK}/left; exec sleep 100000' <{DEVICE} >/dev/null 2>&1 &); "
                 f"until [ -s {WORK}/left ]; do sleep 0.05; done")
    eventually(lambda: node() == "drained Epilog error", "the node drained")
    assert job_state(job) == "COMPLETED", job_state(job)
    left = int(open(WORK + "/left").read())
    reported = log().partition("epilog failed")[2]
    assert f"pid {left}" in reported and "sleep" in reported, log()
    # The next job does not start while that process has the device open.
    repair()
    submit("echo alone")
    eventually(lambda: node() == "drained Prolog error", "the node drained")
    assert f"device 0: in use by process {left} (sleep" in log(), log()
    os.kill(left, signal.SIGKILL)
    repair()
    eventually(lambda: node() == "idle", "the node idle")
    runs("free")


def holder():
    """The process of a job that has the device open, from tt_smi --json."""
    document = json.loads(output(WORK + "/bin/tt_smi", "--json"))
    return next((p for p in document["processes"] if p["devices"] and p["slurm"]["job_id"]), None)


def scraped(port, path="/metrics", **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError:  # no sample yet
        return ""


def check_formats(port):
    """Readers of both metric formats accept the metrics, which have the labels of the job."""
    for name, accept in ("metrics", "text/plain"), ("openmetrics", "application/openmetrics-text"):
        with open(f"{WORK}/{name}", "w", encoding="utf-8") as file:
            file.write(scraped(port, Accept=accept))
    client = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../serve/client.py")
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import prometheus_client"], stderr=subprocess.DEVNULL).returncode == 0:
        assert int(output(python, "-B", client, "parse", WORK + "/openmetrics")) > 20
    if shutil.which("promtool"):
        with open(WORK + "/metrics", encoding="utf-8") as file:
            assert not subprocess.check_output(["promtool", "check", "metrics"], stdin=file)


def job_is_named():
    """Without Slurm's cgroup plugins, id, name and user of a job come from its environment."""
    eventually(lambda: node() == "idle", "the node idle")
    job = submit(f"exec sleep 100000 <{DEVICE}", "--job-name", 'train "big"')
    process = eventually(holder, "a process of the job on the device")
    user = pwd.getpwuid(os.getuid()).pw_name
    assert process["slurm"] | {"step": None} == {"job_id": job, "step": None, "job_name": 'train "big"', "user": user}, process
    assert process["owner"] == f"slurm {job}", process["owner"]
    if os.access(os.environ["TT_SMI"] + "-serve", os.X_OK):
        server = subprocess.Popen([WORK + "/bin/tt_smi", "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
        port = re.search(r"127.0.0.1:(\d+)/", server.stderr.readline())[1]
        series = f'kind="slurm",slurm_job="{job}",slurm_job_name="train \\"big\\"",user="{user}"}} 1\n'
        eventually(lambda: 'ttsmi_owner_processes{device="0"' in scraped(port) and series in scraped(port), "the job in /metrics")
        check_formats(port)
    subprocess.run(["scancel", job], check=True)
    eventually(lambda: node() == "idle", "the node idle")
    if os.access(os.environ["TT_SMI"] + "-serve", os.X_OK):
        eventually(lambda: f'slurm_job="{job}"' not in scraped(port), "the job gone from /metrics")
        server.terminate()
        server.wait()


bring_up_loopback()
socket.sethostname("node")
daemons = start_slurm()
try:
    job_is_named()
    prolog_judges_the_node()
    epilog_finds_what_a_job_left()
finally:
    for process in reversed(daemons):
        process.terminate()
        process.wait()
