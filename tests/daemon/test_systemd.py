"""The units under a real systemd, which is started as pid 1 of its own namespaces.

Its root is an overlay over this machine's, in which the programs are installed. It is removed afterwards.
"""

import shutil
import subprocess
import sys

from allocd import *

CGROUPS = "/sys/fs/cgroup/unified" if os.path.isdir("/sys/fs/cgroup/unified") else "/sys/fs/cgroup"

# Pid 1 of the namespaces: creates the root and executes systemd.
INIT = """
set -eu
top=$1
mount -t tmpfs none "$top/root"
cd "$top/root"
mkdir upper work new
mount -t overlay overlay -o "lowerdir=/,upperdir=upper,workdir=work" new
cd new
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
for folder in run tmp dev; do mount -t tmpfs tmpfs $folder; done
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
mkdir dev/shm result
mount -t tmpfs tmpfs dev/shm
mount --bind "$top/result" result
cp -r "$top/installed/." .
cp -r "$top/units/." etc/systemd/system/
echo 0123456789abcdef0123456789abcdef >etc/machine-id
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . /lib/systemd/systemd --system --unit=probe.target
"""

ALLOCD_PROBE = """#!/bin/sh
touch /result/booted
show() { systemctl show -p "$1" --value tt-allocd.service; }
exec 2>&1
/usr/local/bin/tt_smi mem --dump >/result/first
/usr/local/bin/allocation_client_demo >/dev/null &
while ! /usr/local/bin/tt_smi mem --dump | grep -q allocation_client; do sleep 0.1; done
show MainPID >/result/before
systemctl reload tt-allocd.service
/usr/local/bin/tt_smi mem --dump >/result/reloaded
kill $!
show MainPID >/result/after
show CapabilityBoundingSet >/result/capabilities
systemctl show -p ActiveState --value tt-allocd.socket >/result/socket
systemctl kill -s KILL tt-allocd.service
while ! /usr/local/bin/tt_smi mem --dump >/result/restarted; do sleep 0.1; done
touch /result/done
"""

# A client that comes before the service waits, and starts it.
SERVE_PROBE = """#!/bin/sh
touch /result/booted
show() { systemctl show -p "$1" --value tt-smi-serve.service; }
get() { curl -sS --fail --retry 1000 --retry-delay 1 "http://127.0.0.1:7762$1"; }
exec 2>&1
show ActiveState >/result/before
get /readyz >/result/ready
get /metrics >/result/metrics
while ! get /api/v1/snapshot | grep '"server":{"running":true'; do sleep 0.1; done >/result/snapshot
cp /proc/$(show MainPID)/status /result/status
ls /proc/$(show MainPID)/root/home >/result/homes
ls -L /proc/self/ns/net -i >/result/network
ls -L /proc/$(show MainPID)/ns/net -i >>/result/network
systemctl stop tt-smi-serve.service
show Result >/result/result
touch /result/done
"""

UNITS = {
    "probe.target": "[Unit]\nWants=SOCKETS probe.service\nAfter=SOCKETS\n",
    "probe.service": "[Unit]\nDefaultDependencies=no\nAfter=SOCKETS\n[Service]\nType=oneshot\n"
                     "ExecStart=/probe\nExecStopPost=/bin/systemctl --no-block exit\n",
}


def prepare(directory, sockets, probe):
    if os.environ.get("TT_SANITIZE"):
        raise Skip("the unit's sandbox is not made for sanitizers")
    if not os.path.exists("/lib/systemd/systemd"):
        raise Skip("systemd is not installed")
    for folder in ("root", "result", "installed", "units"):
        os.mkdir(f"{directory}/{folder}")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr/local"], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, DESTDIR=directory + "/installed"))
    shutil.copy(BUILD + "/allocation_client_demo", directory + "/installed/usr/local/bin/")
    with open(directory + "/installed/probe", "w") as f:
        f.write(probe)
    os.chmod(directory + "/installed/probe", 0o755)
    for name, text in UNITS.items():
        with open(f"{directory}/units/{name}", "w") as f:
            f.write(text.replace("SOCKETS", sockets))


def boot(directory):
    """Runs systemd until the probe has ended, in a control group of its own."""
    group = f"{CGROUPS}/tt-allocd-test-{os.getpid()}"
    try:
        os.mkdir(group)
    except OSError as error:
        raise Skip(f"no control group of version 2 can be made: {error}")

    def enter():
        with open(group + "/cgroup.procs", "w") as f:
            f.write(str(os.getpid()))

    try:
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "--cgroup", "--net",
                               "bash", "-c", INIT, "init", directory],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT * 5, preexec_fn=enter)
    finally:
        for folder, _, _ in os.walk(group, topdown=False):
            wait(lambda: removed(folder), "the control group's end")
    if not os.path.exists(directory + "/result/booted"):
        raise Skip("systemd does not start here: " + done.stdout.strip()[-200:].replace("\n", " "))
    assert os.path.exists(directory + "/result/done"), done.stdout


def removed(folder):
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True


def result(directory, name):
    with open(f"{directory}/result/{name}") as f:
        return f.read().strip()


@bare
@root
def test_the_units_serve_reload_and_restart(directory):
    prepare(directory, "tt-allocd.socket", ALLOCD_PROBE)
    boot(directory)
    assert "no allocations" in result(directory, "first"), result(directory, "first")
    assert "allocation_client" in result(directory, "reloaded"), "a client was lost by systemctl reload"
    assert result(directory, "before") == result(directory, "after") != "0", "the reload started another process"
    assert set(result(directory, "capabilities").split()) == {"cap_dac_read_search", "cap_sys_ptrace"}
    assert result(directory, "socket") == "active"
    assert result(directory, "restarted"), "it did not come back after SIGKILL"


@bare
@root
def test_metrics_are_served_by_an_unprivileged_user_from_a_socket_of_systemd(directory):
    if not os.path.exists(BUILD + "/tt_smi-serve"):
        raise Skip("built without tt_smi serve")
    prepare(directory, "tt-smi-serve.socket tt-allocd.socket", SERVE_PROBE)
    boot(directory)
    assert result(directory, "before") == "inactive", "it ran before a request"
    metrics = result(directory, "metrics")
    assert "ttsmi_devices 0" in metrics, metrics
    assert '"devices"' in result(directory, "snapshot")
    status = dict(line.split(":\t", 1) for line in result(directory, "status").splitlines())
    assert "0" not in status["Uid"].split() + status["Gid"].split(), status["Uid"]
    assert {int(status[key], 16) for key in ("CapEff", "CapPrm", "CapBnd", "CapAmb")} == {0}
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
    assert result(directory, "homes") == "", "it sees home directories"
    own, its = (line.split()[0] for line in result(directory, "network").splitlines())
    assert own != its, "it has a network beside its socket"
    assert result(directory, "result") == "success"


if __name__ == "__main__":
    run(sys.modules[__name__])
