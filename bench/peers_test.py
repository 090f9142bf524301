#!/usr/bin/env python3
"""peers_test.py BUILD: tests compare.py --peers with shell scripts in the place of nvtop and tt-toplike."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
COMPARE = pathlib.Path(__file__).with_name("compare.py")
# Reads files of the driver at the true paths and prints how many there were; as a full screen, it waits for a key.
STAND_IN = """#!/bin/sh
temperatures=$(cat /sys/class/tenstorrent/*/device/hwmon/*/temp1_input | wc -l)
holders=$(cat /proc/driver/tenstorrent/*/pids | wc -l)
[ "$temperatures" -gt 0 ] && [ "$holders" -gt 0 ] || exit 4
echo "$temperatures devices, $holders holders: quit with q"
[ "$1 $2 $3" = "{once}" ] && exit
stty -icanon && head -c 1 >/dev/null
"""
ONCE = {"nvtop": "-s  ", "tt-toplike": "--backend sysfs --print"}


def compare(peers, *options):
    return subprocess.run([sys.executable, COMPARE, "--smoke", *options, "--peers", peers, BUILD],
                          capture_output=True, text=True)


class PeersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tt-bench-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def add(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def compare(self, *options):
        done = compare(self.folder, *options)
        if "no mount namespace" in done.stderr:
            self.skipTest(done.stderr)
        if "out of pty devices" in done.stderr:  # /dev/pts is mounted without gid=5, which cannot be set in a user namespace
            self.skipTest("no terminal in a user namespace here")
        self.assertEqual(done.stderr, "")
        return done

    def test_all_rows_have_figures_of_all_programs(self):
        for name, once in ONCE.items():
            self.add(name, STAND_IN.format(once=once))
        done = self.compare()
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("not measured", done.stdout)
        self.assertNotIn(" - ", done.stdout)
        for row in ("one shot", "first screen", "-w at 1 s"):
            for what in ("1 device", "8 devices", "32 devices", "64 devices", "100 other processes",
                         "10,000 other processes", "1,000 holders"):
                self.assertIn(f"{row}, {what}", done.stdout)

    def test_a_missing_peer_is_skipped_with_a_reason(self):
        self.add("nvtop", STAND_IN.format(once=ONCE["nvtop"]))
        done = self.compare("--only", "one shot, 1 device")
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"tt-toplike is skipped: {self.folder}/tt-toplike does not exist", done.stdout)

    def test_a_peer_that_fails_does_not_hide_the_others(self):
        self.add("nvtop", "#!/bin/sh\nexit 3\n")
        self.add("tt-toplike", STAND_IN.format(once=ONCE["tt-toplike"]))
        done = self.compare("--only", "one shot, 1 device")
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"not measured: {self.folder}/nvtop: exit code 3", done.stdout)
        self.assertRegex(done.stdout, r"one shot, 1 device +CPU ms( +[\d.]+){2}( +-){2}( +[\d.]+){2}( +-){2}( +[\d.]+){2}")

    def test_without_any_peer_there_is_nothing_to_measure(self):
        self.assertNotEqual(self.compare().returncode, 0)


if __name__ == "__main__":
    unittest.main()
