"""Checks the dashboards of share/grafana/.

    dashboards.py static TT_SMI WORK        form, syntax, and that every series and label that is asked for exists
    dashboards.py live TT_SMI WORK          what each query returns from a Prometheus that scrapes a simulated fleet
"""

import glob
import json
import os
import re
import subprocess
import sys

import yaml
from engines import RULES, SHARE, Fleet, Prometheus, fast_rules, wait_until

GRAFANA = os.path.join(SHARE, "../grafana")
TARGET = {"instance", "job"}  # labels of every series
OTHERS = {"ALERTS": {"alertname", "alertstate", "severity"}, "up": set()}
WORDS = set("by without on ignoring group_left group_right and or unless bool offset".split())
UNITS = set("none celsius watt percentunit bytes Bps joule s hertz volt amp rotrpm short".split())

# Queries that return no data in the simulated fleet, with the reasons.
EMPTY = {}


def dashboards():
    boards = {}
    for path in sorted(glob.glob(f"{GRAFANA}/*.json")):
        with open(path, encoding="utf-8") as file:
            boards[os.path.basename(path)] = json.load(file)
    assert boards, "no dashboard"
    return boards


def queries(board):
    """Yields (panel, expression, legend) for each query."""
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield panel, target["expr"], target.get("legendFormat", "")


def variables(board):
    return {v["name"]: v for v in board["templating"]["list"] if v["type"] == "query"}


def known_series(tt_smi):
    """The metrics of tt_smi serve and of the recording rules: {metric: labels}."""
    known = {name: labels | TARGET for name, labels in OTHERS.items()}
    listing = subprocess.run([tt_smi, "serve", "--list-metrics"], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        name, _, labels, _, _ = line.split("\t")
        known[name] = set(labels.replace("-", "").replace(",", " ").split()) | TARGET
    with open(f"{SHARE}/{RULES[1]}", encoding="utf-8") as file:
        rules = [rule for group in yaml.safe_load(file)["groups"] for rule in group["rules"]]
    for rule in rules:
        names = [n for n in re.findall(r"\bttsmi_\w+", rule["expr"]) if n in known]
        dropped = set(re.findall(r"\w+", "".join(re.findall(r"without \(([^)]*)\)", rule["expr"]))))
        known[rule["record"]] = set().union(*(known[n] for n in names)) - dropped
    return known


def tokens(expression):
    pattern = r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[A-Za-z_:$][\w:$]*|[\d.]+|=~|!~|!=|==|>=|<=|\S'
    return re.findall(pattern, expression)


def asked(expression):
    """Selectors as (metric, labels), and the labels of grouping and matching."""
    selectors, grouped = [], set()
    words = tokens(expression)
    i = 0
    while i < len(words):
        word = words[i]
        following = words[i + 1] if i + 1 < len(words) else ""
        if word in ("by", "without", "on", "ignoring", "group_left", "group_right") and following == "(":
            end = words.index(")", i)
            grouped |= {w for w in words[i + 2 : end] if w != ","}
            i = end
        elif re.match(r"[A-Za-z_:]", word) and word not in WORDS and following not in ("(", "by", "without"):
            labels = set()
            if following == "{":
                end = words.index("}", i)
                labels = {words[k] for k in range(i + 2, end) if words[k + 1] in ("=", "=~", "!=", "!~")}
                i = end
            selectors.append((word, labels))
        i += 1
    return selectors, grouped


def check_series(where, expression, legend, known):
    selectors, grouped = asked(expression)
    assert selectors, f"{where}: no series in {expression}"
    have = set()
    for metric, labels in selectors:
        assert metric in known, f"{where}: there is no series {metric}: {expression}"
        assert labels <= known[metric], f"{where}: {metric} has no label {labels - known[metric]}: {expression}"
        have |= known[metric]
    shown = set(re.findall(r"{{(\w+)}}", legend))
    assert grouped | shown <= have, f"{where}: no such label {(grouped | shown) - have}: {expression}"


def check_variables(where, board, known):
    used = set(re.findall(r"\$(\w+)", json.dumps([q[1] for q in queries(board)])))
    names = variables(board)
    assert used - set(names) <= {"__rate_interval"}, f"{where}: undefined variables {used}"
    for name, variable in names.items():
        metric, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"]).groups()
        check_series(f"{where}, variable {name}", metric, "{{%s}}" % label, known)
        assert name in used, f"{where}: variable {name} is not used"


def check_form(where, board):
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids), f"{where}: a panel id twice"
    assert board["schemaVersion"] >= 36 and board["uid"].startswith("tt_smi-") and "tt_smi" in board["tags"], where
    cells = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        mine = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not mine & cells and place["x"] + place["w"] <= 24, f"{where}: {panel['title']} overlaps"
        cells |= mine
        if panel["type"] == "row":
            continue
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, f"{where}: {panel['title']}"
        sources = [panel["datasource"]] + [target["datasource"] for target in panel["targets"]]
        assert all(source["uid"] == "${datasource}" for source in sources), f"{where}: {panel['title']}"
        hidden = [t for t in panel.get("transformations", []) if t["id"] == "organize"]
        for column in hidden[0]["options"]["renameByName"] if hidden else []:
            assert not column.startswith("Value #") or ord(column[-1]) - ord("A") < len(panel["targets"]), f"{where}: {column}"


def substitute(expression, values):
    expression = expression.replace("$__rate_interval", "1m")
    return re.sub(r"\$(\w+)", lambda match: values[match[1]], expression)


def check_syntax(where, expressions, work):
    """Checks the syntax with promtool, by a file with each expression as a rule."""
    path = f"{work}/{where}.yml"
    rules = [{"record": f"panel:{i}", "expr": text} for i, text in enumerate(expressions)]
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}, file)
    done = subprocess.run(["promtool", "check", "rules", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and f"{len(rules)} rules found" in done.stdout, done.stdout + done.stderr


def static(tt_smi, work):
    known = known_series(tt_smi)
    count = 0
    for where, board in dashboards().items():
        check_form(where, board)
        check_variables(where, board, known)
        anything = dict.fromkeys(variables(board), "x")
        for panel, expression, legend in queries(board):
            check_series(f"{where}, {panel['title']}", expression, legend, known)
            count += 1
        check_syntax(where, [substitute(text, anything) for _, text, _ in queries(board)], work)
    print(f"{count} queries")


def choose(engine, board):
    """Chooses a value for each variable of a dashboard, like Grafana."""
    values = {}
    for name, variable in variables(board).items():
        selector, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"]).groups()
        rows = wait_until(f"values of {name}", lambda s=selector: engine.query(substitute(s, values)))
        found = sorted(row["metric"][label] for row in rows if label in row["metric"])
        assert found, f"no value of {name}"
        values[name] = ".*" if variable["includeAll"] else found[0]
    return values


def live(tt_smi, work):
    with Fleet(tt_smi, 50, "n300,2xp150a", work) as fleet, Prometheus(fleet, work, 2, fast_rules(work)) as engine:
        wait_until("all machines are scraped", lambda: engine.number("sum(up)") == 50)
        for where, board in dashboards().items():
            values = choose(engine, board)
            for panel, text, _ in queries(board):
                place = (where, panel["title"])
                query = substitute(text, values)
                if place in EMPTY:
                    assert not engine.query(query), f"{place} has data: {query}"
                else:
                    wait_until(f"{place} has data: {query}", lambda q=query: engine.query(q))
        print("all queries have data")


if __name__ == "__main__":
    {"static": static, "live": live}[sys.argv[1]](*sys.argv[2:])
