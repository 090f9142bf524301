"""The rows of the report: what is measured, on which machine, with which targets."""

from dataclasses import dataclass, field

from machine import LISTS_NONE, Machine


@dataclass(frozen=True)
class Target:
    """Upper limits. share: ratio to commit e001be1, if --against names its build; floor: ratio to the floor."""

    share: float = None
    floor: float = None
    most: float = None


@dataclass(frozen=True)
class Row:
    title: str
    kind: str  # start (of an empty program), once, loop, first (screen), screen
    machine: Machine
    targets: dict = field(default_factory=dict)  # by the name of a figure
    period_ms: int = 1000  # refresh period of a full screen
    seconds: int = 6  # how long a full screen is measured; long enough for values that are read at a low rate

    @property
    def scan(self):
        return self.machine.driver == LISTS_NONE


ONE, EIGHT, MANY, MOST = (Machine(devices) for devices in (1, 8, 32, 64))
LIVE_ONE, LIVE_MANY = Machine(1, live=True), Machine(32, live=True)
STILL = Machine(32, workloads=False, beating=True)
HELD = Machine(32, workloads=False, beating=True, holders=1000)
HELD_MUCH = Machine(32, workloads=False, holders=10000)
FEW_OTHERS, MANY_OTHERS = (Machine(8, workloads=False, holders=3, others=count) for count in (100, 10000))
SCAN = Machine(8, driver=LISTS_NONE, workloads=False, holders=3, others=10000)

CPU, WALL, RESIDENT, WRITTEN, CALLS = "CPU ms", "wall ms", "KB", "bytes", "calls"
CPU_S, WRITTEN_S = "CPU ms/s", "bytes/s"  # of a full screen
ONCE_1, ONCE_32 = Target(share=0.7, floor=1.8), Target(share=0.8, floor=1.5)
REFRESH = Target(floor=2.0)
HELD_SCREEN = {CPU_S: Target(share=0.5), RESIDENT: Target(most=5000)}

ROWS = [
    Row("an empty program, linked alike", "start", ONE),
    Row("one shot, 1 device", "once", ONE, {CPU: ONCE_1, WALL: Target(floor=1.8)}),
    Row("first screen, 1 device", "first", ONE, {WALL: Target(share=0.7)}),
    Row("refresh, 1 device", "loop", ONE, {CPU: REFRESH}),
    Row("one shot, 8 devices", "once", EIGHT),
    Row("one shot, 32 devices", "once", MANY, {CPU: ONCE_32, WALL: Target(floor=1.5)}),
    Row("first screen, 32 devices", "first", MANY, {WALL: Target(share=0.6, most=20)}),
    Row("refresh, 32 devices", "loop", MANY, {CPU: REFRESH}),
    Row("one shot, 64 devices", "once", MOST),
    Row("-w at 1 s, 1 device", "screen", LIVE_ONE, {CPU_S: Target(share=0.35), WRITTEN_S: Target(share=0.4)}),
    Row("-w at 1 s, 32 devices", "screen", LIVE_MANY,
        {CPU_S: Target(most=1.5), WRITTEN_S: Target(share=0.7), RESIDENT: Target(share=0.85)}),
    Row("-w at 100 ms, 32 devices", "screen", LIVE_MANY, {CPU_S: Target(most=10)}, period_ms=100),
    Row("-w at 100 ms, nothing changes", "screen", STILL, {WRITTEN_S: Target(most=40)}, period_ms=100),
    Row("one shot, 1,000 holders", "once", HELD),
    Row("-w at 1 s, 1,000 holders", "screen", HELD, HELD_SCREEN, seconds=30),
    Row("one shot, 10,000 holders", "once", HELD_MUCH, {CPU: Target(share=0.6)}),
    Row("one shot, 100 other processes", "once", FEW_OTHERS),
    Row("one shot, 10,000 other processes", "once", MANY_OTHERS, {CPU: Target(share=0.8)}),
    Row("one shot, scan of 10,000 processes", "once", SCAN),
    Row("refresh, scan of 10,000 processes", "loop", SCAN, {CPU: Target(floor=2.0, most=30)}),
]


def peer_rows():
    """Rows at the true paths, where simulated processes cannot exist: the holders are real processes."""
    for devices in (1, 8, 32, 64):
        what = f"{devices} device" + "s" * (devices > 1)
        still = Machine(devices, workloads=False, holders=3)
        live = Machine(devices, workloads=False, holders=3, live=True)
        yield Row(f"one shot, {what}", "once", still)
        yield Row(f"first screen, {what}", "first", still)
        yield Row(f"-w at 1 s, {what}", "screen", live)
    for what, machine in (("100 other processes", FEW_OTHERS), ("10,000 other processes", MANY_OTHERS),
                          ("1,000 holders", HELD)):
        yield Row(f"one shot, {what}", "once", machine)
        yield Row(f"first screen, {what}", "first", machine)
        targets = HELD_SCREEN if machine is HELD else {}
        yield Row(f"-w at 1 s, {what}", "screen", machine, targets, seconds=30)


PEER_ROWS = list(peer_rows())
