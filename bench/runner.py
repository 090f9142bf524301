"""Measures the rows of the report, with a method per kind of row; runs of the programs alternate."""

from types import SimpleNamespace

import cost
import count
from rows import CALLS, CPU, CPU_S, RESIDENT, WALL, WRITTEN, WRITTEN_S
from subject import Ours

FULL = SimpleNamespace(rounds=60, slow_rounds=7, starts=15, loops=5, refreshes=20, windows=3, warm_up=2,
                       longest_window=60, processes=10000)
SMOKE = SimpleNamespace(rounds=1, slow_rounds=1, starts=1, loops=1, refreshes=1, windows=1, warm_up=0.5,
                        longest_window=0.5, processes=20)


def parts(runs, **names):
    """Figures by name; the value has, per program, an attribute of all its runs."""
    return {figure: [[getattr(run, name) for run in each] for each in runs] for name, figure in names.items()}


class Runner:
    """The method for each kind of row returns figures by name: a list of samples per program."""

    def __init__(self, build, effort):
        self.build, self.effort = build, effort

    def once(self, row, root, subjects):
        commands = [each.once(root, row.scan) for each in subjects]
        many = row.scan or row.machine.holders > 1000
        runs = cost.alternating(self.build, commands, self.effort.slow_rounds if many else self.effort.rounds)
        figures = parts(runs, cpu_ms=CPU, wall_ms=WALL, resident_kb=RESIDENT)
        if all(isinstance(each, Ours) for each in subjects):
            figures |= parts(runs, written=WRITTEN)  # to see that both show about the same
        if count.is_possible() and not many:  # so slow under strace that deadlines of tt_smi pass
            figures[CALLS] = [[count.calls(command)] for command in commands]
        return figures

    def start(self, _row, _root, subjects):
        runs = cost.alternating(self.build, [each.start() for each in subjects], self.effort.rounds)
        return parts(runs, cpu_ms=CPU, wall_ms=WALL, resident_kb=RESIDENT)

    def first(self, row, root, subjects):
        commands = [each.screen(root, row.period_ms) for each in subjects]
        return parts(cost.alternating(self.build, commands, self.effort.starts, until="Quit"), wall_ms=WALL, cpu_ms=CPU)

    def loop(self, row, root, subjects):
        """CPU time per refresh: that of a loop less the minimum for one sample."""
        n = self.effort.refreshes
        commands = [each.loop(root, row.scan, times) for each in subjects for times in (0, n)]
        runs = cost.alternating(self.build, commands, self.effort.loops)
        samples = []
        for one, more in zip(runs[0::2], runs[1::2]):
            least = min(run.cpu_ms for run in one)
            samples.append([max(run.cpu_ms - least, 0) / n for run in more])
        return {CPU: samples}

    def screen(self, row, root, subjects):
        commands = [each.screen(root, row.period_ms) for each in subjects]
        effort = self.effort
        seconds = min(row.seconds, effort.longest_window)
        windows = cost.windows_alternating(commands, effort.windows, effort.warm_up, seconds)
        return parts(windows, cpu_ms=CPU_S, written=WRITTEN_S, resident_kb=RESIDENT)

    def row(self, row, root, subjects):
        """All figures, with None for programs that do not support the row or fail; and the reasons for failures."""
        kind = getattr(self, row.kind)
        able = [each for each in subjects if row.kind in each.kinds]
        reasons = []
        try:
            figures = kind(row, root, able)
        except cost.NotMeasured:
            able, reasons = self.find_able(kind, row, root, able)
            figures = kind(row, root, able)
        for samples in figures.values():
            for i, each in enumerate(subjects):
                if each not in able:
                    samples.insert(i, None)
        return figures, reasons

    def find_able(self, kind, row, root, subjects):
        """The programs that do not fail, tt_smi always included, and the reasons why the others do."""
        able, reasons = subjects[:1], []
        for each in subjects[1:]:
            try:
                kind(row, root, [each])
                able.append(each)
            except cost.NotMeasured as error:
                reasons.append(str(error))
        return able, reasons
