"""Prints figures side by side: as text, or as a table in Markdown."""

import statistics


def number(value):
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(ours, theirs):
    if theirs:
        return ours / theirs
    return float("inf") if ours else 1


class Comparison:
    """One figure of a row. samples: a list per program, tt_smi first; None: the program does not support the row."""

    def __init__(self, samples):
        self.pairs = [(min(each), statistics.median(each)) if each else None for each in samples]

    def ratios(self):
        """Ratios of tt_smi to each of the other programs: of the minima, and of the medians."""
        least, median = self.pairs[0]
        return [pair and (ratio(least, pair[0]), ratio(median, pair[1])) for pair in self.pairs[1:]]


def judge(comparison, target, names):
    """The targets, and whether both minimum and median meet them."""
    if not target:
        return ""
    verdicts = []
    limits = {"floor": ("floor", target.floor), "other": ("share", target.share)}
    for name, ratios in zip(names[1:], comparison.ratios()):
        word, limit = limits.get(name, ("", None))
        if limit and ratios:
            verdicts.append((f"{word} <= {limit}", max(ratios) <= limit))
    if target.most:
        verdicts.append((f"<= {target.most}", max(comparison.pairs[0]) <= target.most))
    return ", ".join(f"{text}: {'met' if met else 'MISSED'}" for text, met in verdicts)


class Report:
    """names: of the programs, tt_smi first. Markdown has only the ratios of the other programs."""

    def __init__(self, names, markdown=False):
        self.names, self.markdown = names, markdown
        self.shown = names[:1] if markdown else names
        heads = [head for name in self.shown for head in (name, "median")]
        heads += [head for name in names[1:] for head in (f"/ {name}", "median")]
        self.columns = len(heads)
        self.line(["", "", *heads, "wanted"])
        if markdown:
            print("| --- | --- |" + " ---: |" * len(heads) + " --- |")

    def line(self, cells):
        if self.markdown:
            print("| " + " | ".join(cells) + " |", flush=True)
        else:
            figures = "".join(f"{cell:>12}" for cell in cells[2:-1])
            print(f"{cells[0]:36}{cells[1]:12}{figures}  {cells[-1]}".rstrip(), flush=True)

    def row(self, title, figures, targets):
        """figures: by name, a list of samples per program."""
        for name, samples in figures.items():
            comparison = Comparison(samples)
            cells = []
            for pair in comparison.pairs[:len(self.shown)]:
                cells += [number(value) for value in pair] if pair else ["-", "-"]
            for pair in comparison.ratios():
                cells += [f"{value:.2f}" for value in pair] if pair else ["-", "-"]
            self.line([title, name, *cells, judge(comparison, targets.get(name), self.names)])

    def failed(self, title, reason):
        empty = ["-"] * self.columns if self.markdown else []
        self.line([title, "-", *empty, f"not measured: {reason}"])
