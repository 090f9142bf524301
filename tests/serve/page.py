"""Tests the web page of tt_smi serve in a real Chromium.

    page.py TEST PORT [ARGUMENT]...

Each TEST is a function below. TT_SMI and D are the paths of the program and of the machine, for tests that
start the server again. If PICTURES is set, screenshots are saved in this folder.
"""

import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.request

from browser import Browser, missing

TOP = pathlib.Path(__file__).resolve().parents[2]
SIZES = {"laptop": (1366, 768, False), "desktop": (1920, 1080, False), "large": (2560, 1440, False), "phone": (390, 844, True)}
TILES = "document.querySelectorAll('.tile').length"
CLOCK = "document.getElementById('clock').textContent"


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=300) as answer:
        return answer.read().decode()


def open_page(browser, port, path="/"):
    browser.open(f"http://127.0.0.1:{port}{path}")
    browser.wait(TILES)


def next_sample(browser):
    before = browser.run(f"return {CLOCK}")
    browser.wait(f"{CLOCK} !== arguments[0]", before)


def assert_clean(browser):
    assert browser.errors() == [], browser.errors()
    messages = browser.console()
    assert messages == [], messages


def assert_still(browser):
    shifts = browser.shifts()
    assert shifts == [], json.dumps(shifts, indent=1)


def keep(browser, name):
    folder = os.environ.get("PICTURES")
    if folder:
        browser.picture(f"{folder}/{name}.png")


def live(port):
    """Values arrive and change without layout shifts and console messages; tiles have the content of the full screen."""
    with Browser() as browser:
        open_page(browser, port)
        for _ in range(6):
            next_sample(browser)
        widths = "JSON.stringify([...document.querySelectorAll('.tile .readings > *')].map((e) => e.textContent.length))"
        browser.wait(f"{widths} !== arguments[0]", browser.run(f"return {widths}"))
        next_sample(browser)
        assert browser.text("#state") == "connected"
        assert browser.run("return performance.getEntriesByType('resource').every((e) => e.name.startsWith(location.origin))")
        shown = browser.run("return [...document.querySelectorAll('.group')].map((group) => [group.querySelector('h2').textContent,"
                            " [...group.querySelectorAll('.tile')].map((tile) => tile.dataset.id)])")
        trays = {}
        for device in json.loads(get(port, "/api/v1/snapshot"))["devices"]:
            trays.setdefault(f"tray {device['location']['tray']}", []).append(str(device["id"]))
        assert shown == [list(tray) for tray in trays.items()], shown
        # the temperature of the same sample, rounded as in other outputs
        end = time.monotonic() + 300
        while True:
            document = json.loads(get(port, "/api/v1/snapshot"))
            expected = [f"{device['temperature']:.0f}°C" for device in document["devices"]]
            texts = browser.run("return [...document.querySelectorAll('.tile .readings > :first-child')].map((e) => e.textContent)")
            if texts == expected:
                break
            assert time.monotonic() < end, (texts, expected)
        assert_still(browser)
        assert_clean(browser)


def sizes(port):
    """32 chips fit on a laptop's screen; one column on a phone, three elsewhere; nothing is cut, or wider than the screen."""
    with Browser() as browser:
        browser.prefer("dark")
        open_page(browser, port)
        assert browser.run(f"return {TILES}") == 32
        for name, (width, height, mobile) in SIZES.items():
            browser.resize(width, height, mobile)
            next_sample(browser)
            columns = browser.run("return getComputedStyle(document.getElementById('lower')).gridTemplateColumns.split(' ').length")
            assert columns == (1 if mobile else 3), f"{name}: {columns} columns"
            wide = browser.run("return document.scrollingElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{name}: {wide} pixels too wide"
            # A line that is wider than its tile, a part that is wider than its place, lines that are higher than the tile.
            cut = browser.run("return [...document.querySelectorAll('.tile, .tile > span, .tile > span > span')].filter((e) =>"
                              " (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)"
                              " && !e.classList.contains('name') && !e.classList.contains('health')).map((e) => e.textContent)")
            assert not cut, f"{name}: cut: {cut}"
            if not mobile:
                low = browser.run("return Math.max(...[...document.querySelectorAll('.tile')].map((t) => t.getBoundingClientRect().bottom))")
                assert low <= min(height, 625), f"{name}: tiles end at {low}"
            keep(browser, name)
        assert_clean(browser)


def charted(port):
    """If there is room, charts of one device are below the tiles: of the first one, then of that with the focus."""
    title = "document.getElementById('device-title').textContent"
    shown = "!document.getElementById('device').hidden && document.querySelectorAll('.chart canvas').length >= 4"
    with Browser() as browser:
        open_page(browser, port)
        browser.wait(f"{shown} && {title}.startsWith('Device 0 ')")
        for _ in range(3):
            next_sample(browser)
        assert_still(browser)
        for key, name in ("Right", "Device 0 "), ("Right", "Device 0R"), ("Left", "Device 0 "), ("Right", "Device 0R"):
            browser.press(key)
            browser.wait(f"{title}.startsWith(arguments[0])", name)
        assert browser.run("return document.getElementById('back').hidden && document.getElementById('sections').hidden")
        assert browser.run("return document.querySelectorAll('.tile[data-charted]').length") == 1
        # after a visit to the page of another device, the charts of that one are shown
        browser.run("location.hash = 'device=1'")
        browser.wait(f"{title}.startsWith('Device 1 ') && !document.getElementById('back').hidden")
        browser.press("Escape")
        browser.wait(f"document.getElementById('back').hidden && {shown} && {title}.startsWith('Device 1 ')")
        low = browser.run("return document.querySelector('footer').getBoundingClientRect().bottom")
        assert low <= 768, f"the page ends at {low}"
        keep(browser, "charted")
        browser.resize(390, 844, True)
        browser.wait("document.getElementById('device').hidden")
        assert_clean(browser)


def server(port):
    return subprocess.Popen([os.environ["TT_SMI"], "serve", "--root", os.environ["D"], "--listen", f"127.0.0.1:{port}"],
                            stderr=subprocess.DEVNULL)


def wait_ready(port):
    end = time.monotonic() + 300
    while True:
        try:
            return get(port, "/readyz")
        except OSError:
            assert time.monotonic() < end, "no server"
            time.sleep(0.05)


class Refusal(http.server.BaseHTTPRequestHandler):
    """The requests of a page, answered like by a server that has no sample."""

    asked = 0

    def do_GET(self):
        Refusal.asked += self.path == "/page/stream"
        self.send_error(503)

    def log_message(self, *_):
        pass


def refuse(port):
    """Refuses streams until the page has requested one twice."""
    http.server.HTTPServer.allow_reuse_address = True
    with http.server.HTTPServer(("127.0.0.1", port), Refusal) as refusing:
        refusing.timeout = 300
        while Refusal.asked < 2:
            before = Refusal.asked
            refusing.handle_request()
            assert Refusal.asked > before, "the page does not try again"


def lost(port):
    """If the server ends or hangs, the page says so, values turn grey and their age grows; afterwards the page recovers."""
    running = server(port)
    try:
        wait_ready(port)
        with Browser() as browser:
            open_page(browser, port)
            assert browser.run("return document.getElementById('lost').hidden")
            running.terminate()
            running.wait()
            browser.wait("!document.getElementById('lost').hidden && document.body.className === 'old'")
            assert browser.text("#state") == "connection lost"
            first = browser.text("#lost")
            assert first.startswith("Connection to the server lost"), first
            browser.wait("document.getElementById('lost').textContent !== arguments[0]", first)
            assert browser.run("return getComputedStyle(document.getElementById('main')).opacity < 1")
            keep(browser, "lost")
            assert_still(browser)
            clock = browser.run(f"return {CLOCK}")
            refuse(port)
            running = server(port)
            browser.wait(f"document.body.className === '' && {CLOCK} !== arguments[0]", clock)
            assert browser.text("#lost") == "Connected again."
            browser.wait("document.getElementById('lost').hidden")
            assert browser.text("#state") == "connected"
            running.send_signal(signal.SIGSTOP)
            browser.wait("document.getElementById('lost').textContent.startsWith('No sample for') && document.body.className === 'old'")
            running.send_signal(signal.SIGCONT)
            browser.wait("document.getElementById('lost').textContent === 'Connected again.' && document.body.className === ''")
            assert browser.errors() == [], browser.errors()
    finally:
        running.send_signal(signal.SIGCONT)
        running.terminate()
        running.wait()


def hostile(port, *names):
    """Markup in commands of processes is shown as text."""
    with Browser() as browser:
        open_page(browser, port)
        browser.wait("arguments[0].every((name) => document.getElementById('processes').textContent.includes(name))", names)
        for path in "/", "/#device=0":
            browser.run("location.hash = arguments[0]", path[2:])
            next_sample(browser)
            texts = browser.run("return [...document.querySelectorAll('#processes td')].map((cell) => cell.textContent)")
            for name in names:
                assert any(name in text for text in texts), (name, texts)
            assert browser.run("return document.querySelectorAll('img, iframe, table script, table svg, table a').length") == 0
        assert browser.run("return window.hacked") is None
        assert_clean(browser)


def focus(browser):
    return browser.run("const e = document.activeElement; return e.id || e.dataset.id || e.className || e.tagName")


def assert_focus_is_seen(browser):
    style = browser.run("const s = getComputedStyle(document.activeElement); return [s.outlineStyle, parseFloat(s.outlineWidth)]")
    assert style[0] == "solid" and style[1] >= 2, (focus(browser), style)


PID = "document.activeElement.closest('tr')?.dataset.pid"
OPEN = "document.getElementById('process').open"


def assert_process_by_keys(browser):
    """Tab reaches one row; arrows move to others; Enter opens a dialog with all readings, Esc closes it."""
    browser.wait("document.querySelectorAll('#processes tr').length === 2")
    browser.run("[...document.querySelectorAll('th button')].at(-1).focus()")
    browser.press("Tab")
    assert browser.run(f"return document.querySelectorAll('#processes [tabindex=\"0\"]').length") == 1
    first = browser.run(f"return {PID}")
    browser.press("Down")
    second = browser.run(f"return {PID}")
    assert_focus_is_seen(browser)
    assert first and second and first != second, (first, second)
    browser.press("Up", "Up", "Down")
    assert browser.run(f"return {PID}") == second
    # in another order the focus stays with its process
    place = "[...document.getElementById('processes').children].indexOf(document.activeElement.closest('tr'))"
    before = browser.run(f"return {place}")
    browser.run("[...document.querySelectorAll('th button')].find((b) => b.title.startsWith('dram: ')).click()")
    assert (browser.run(f"return {PID}"), browser.run(f"return {place}")) == (second, 0) and before == 1
    browser.press("Enter")
    browser.wait(OPEN)
    assert focus(browser) == "process-sections"
    assert_focus_is_seen(browser)
    assert browser.text("#process-title").startswith(f"Process {second} ")
    browser.press("t", "/")  # keys of the page below
    assert focus(browser) == "process-sections"
    browser.press("Tab")
    while focus(browser) != "process-close":
        assert browser.run("return document.activeElement === document.body"), focus(browser)  # nothing below can be reached
        browser.press("Tab")
    browser.press("Escape")
    browser.wait(f"!{OPEN} && {PID} === arguments[0]", second)
    browser.press("Enter")
    browser.wait(OPEN)
    browser.press("Shift+Tab", "Enter")
    browser.wait(f"!{OPEN} && {PID} === arguments[0]", second)


def process(port, silent):
    """A row opens all readings of its process, with reasons, on a screen and by a tap on a phone; they are updated."""
    rows = ("Object.fromEntries([...document.querySelectorAll('#process .part')].map((part) => [part.firstChild.textContent,"
            " Object.fromEntries([...part.querySelectorAll('.row')].map((row) => [row.children[0].textContent, row.children[1].textContent]))]))")
    row = f"#processes tr[data-pid='{silent}']"
    with Browser() as browser:
        for scheme, (width, height, mobile) in ("dark", SIZES["laptop"]), ("light", SIZES["phone"]):
            browser.prefer(scheme)
            browser.resize(width, height, mobile)
            open_page(browser, port)
            browser.wait("document.querySelector(arguments[0])", row)
            (browser.tap if mobile else browser.click)(f"{row} td:last-child")
            browser.wait(OPEN)
            shown = browser.run(f"return {rows}")
            document = json.loads(get(port, "/api/v1/snapshot"))
            [expected] = [p for p in document["processes"] if p["pid"] == int(silent)]
            assert sorted(shown) == [f"On device {usage['id']}" for usage in expected["devices"]] + ["Process"], list(shown)
            own = shown["Process"]
            assert (own["Command"], own["User"], own["Process Id"]) == (expected["command"], expected["user"], silent), own
            for usage in expected["devices"]:
                assert shown[f"On device {usage['id']}"]["DRAM"] == f"N/A ({reason_texts()[usage['unavailable']['dram']]})", shown
            next_sample(browser)
            browser.wait(f"{rows}.Process.Elapsed !== arguments[0]", own["Elapsed"])
            box = browser.run("const r = document.getElementById('process').getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]")
            assert box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height, box
            assert browser.run("const e = document.getElementById('process-sections'); return e.scrollWidth - e.clientWidth") <= 0
            # the last row of readings can be scrolled to
            last = "[...document.querySelectorAll('#process .row')].at(-1)"
            browser.run(f"{last}.scrollIntoView()")
            low = browser.run(f"return [{last}.getBoundingClientRect().bottom, document.getElementById('process').getBoundingClientRect().bottom]")
            assert low[0] <= low[1], low
            browser.run("document.getElementById('process-sections').scrollTop = 0")
            keep(browser, f"process-{scheme}")
            (browser.tap if mobile else browser.click)("#process-close")
            browser.wait(f"!{OPEN}")
            assert_still(browser)
        (browser.tap)(f"{row} td:last-child")
        browser.wait(OPEN)
        os.kill(int(silent), signal.SIGKILL)
        browser.wait("document.getElementById('process-title').textContent === arguments[0]", f"Process {silent} has exited")
        assert browser.run(f"return {rows}.Process['Process Id']") == silent
        # without a row the focus is not lost
        browser.press("Escape")
        browser.wait(f"!{OPEN}")
        messages = [message for message in browser.console() if "/page/process" not in message or "404" not in message]
        assert browser.errors() == [] and messages == [], messages


def keyboard(port):
    """Everything can be done by keys, with a visible focus; Tab reaches every control."""
    with Browser() as browser:
        open_page(browser, port)
        browser.press("Right")
        first = focus(browser)
        assert_focus_is_seen(browser)
        browser.press("Right")
        assert focus(browser) != first
        browser.press("Left", "Down", "Up")
        assert focus(browser) == first, focus(browser)
        browser.press("Right")
        chosen = focus(browser)
        browser.press("Enter")
        browser.wait("!document.getElementById('back').hidden && document.activeElement.id === 'device-title'")
        assert browser.run("return document.getElementById('devices').hidden")
        browser.press("Escape")
        browser.wait("document.getElementById('back').hidden && document.activeElement.className.includes('tile')")
        assert focus(browser) == chosen != first
        browser.press("/")
        assert focus(browser) == "filter"
        browser.press(*"pid>0")
        assert browser.text("#problem") == ""
        browser.press("Escape", "t")
        browser.wait("document.documentElement.className === 'light' || document.documentElement.className === 'dark'")
        seen = set()
        browser.run("document.activeElement.blur(); window.getSelection().collapse(document.body, 0)")
        for _ in range(60):
            browser.press("Tab")
            name = focus(browser)
            if name != "BODY":
                assert_focus_is_seen(browser)
            seen.add(name)
        assert {"theme", "filter", "scroll", "findings", "0", "0R", "1"} <= seen, seen
        assert_process_by_keys(browser)
        # sort by a column, by keys
        browser.run("document.querySelector('th button').focus()")
        browser.press("Enter")
        assert browser.run("return document.querySelector('th').ariaSort") == "ascending"
        assert_clean(browser)


def rgb(text):
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])


def theme_colors():
    """The colours of the full screen: {theme: {style: colour}}."""
    source = (TOP / "src/tui/theme.c").read_text(encoding="utf-8")
    colors = {name: int(value, 16) for name, value in re.findall(r"#define (\w+)\s.*?0x([0-9a-f]{6})", source.replace("\\\n", " "))}
    themes = {}
    for theme, block in re.findall(r"\[THEME_(\w+)\] = \{ \{(.*?)\} \} \}", source, re.S):
        pairs = re.findall(r"\[STYLE_(\w+)\] = \{ (\w+),", block)
        themes[theme] = {style: tuple(colors[name].to_bytes(3, "big")) for style, name in pairs if name in colors}
    return themes


def themes(port):
    """The theme follows the browser's preference and the switch, and has the colours of the full screen."""
    styles = {"GOOD": "good", "WARN": "warn", "BAD": "bad", "TITLE": "title", "CHART": "chart"}
    screen = theme_colors()
    with Browser() as browser:
        open_page(browser, port)
        for scheme, theme in ("dark", "DEFAULT"), ("light", "LIGHT"):
            browser.prefer(scheme)
            browser.wait("document.documentElement.className === arguments[0]", scheme)
            for style, name in styles.items():
                shown = rgb(browser.run("const e = document.createElement('i'); e.style.color = `var(--${arguments[0]})`;"
                                        " document.body.append(e); const c = getComputedStyle(e).color; e.remove(); return c", name))
                assert shown == screen[theme][style], (scheme, name, shown, screen[theme][style])
            background = rgb(browser.run("return getComputedStyle(document.documentElement).backgroundColor"))
            assert (sum(background) > 380) == (scheme == "light"), background
            keep(browser, scheme)
        browser.click("#theme")
        assert browser.run("return document.documentElement.className") == "dark"
        open_page(browser, port)
        assert browser.run("return document.documentElement.className") == "dark"
        assert_clean(browser)


def reason_texts():
    """{code in JSON: text for human readers}"""
    source = (TOP / "src/model/reason.c").read_text(encoding="utf-8")
    return dict(re.findall(r'\] = \{ "(\w+)", "([^"]*)" \}', source))


def reasons(port):
    """Unknown memory and utilisation of processes have the reasons of the JSON document."""
    columns = [column["key"] for column in json.loads(get(port, "/page/about"))["columns"]]
    texts = reason_texts()
    dram, compute = columns.index("dram"), columns.index("compute")
    expected = {}
    for process in json.loads(get(port, "/api/v1/snapshot"))["processes"]:
        [usage] = process["devices"]
        unknown = [usage["unavailable"].get(path) for path in ("dram", "utilization.dispatch")]
        expected[process["pid"]] = [word and texts[word] for word in unknown]
    assert [texts["no_tracker"], texts["not_traced"]] in expected.values() and None in [words[0] for words in expected.values()], expected
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/page/stream", timeout=300) as stream:
        all_devices = json.loads(next(line for line in stream if line.startswith(b"data:"))[5:])
    for document in all_devices, json.loads(get(port, "/page/device?id=0")):
        shown = {p["cells"][0][1]: [p["cells"][i][2] if len(p["cells"][i]) > 2 else None for i in (dram, compute)]
                 for p in document["processes"]}
        assert shown == expected, (shown, expected)


def device(port):
    """The page of a device has readings with reasons, charts that grow, and only its processes."""
    with Browser() as browser:
        browser.prefer("dark")
        open_page(browser, port)
        browser.click(".tile[data-id='0']")
        browser.wait("document.querySelectorAll('.chart canvas').length >= 6 && document.getElementById('sections').innerText.includes('IDENTITY')")
        rows = dict(browser.run("return [...document.querySelectorAll('.row')].map((row) => [row.children[0].textContent, row.children[1].textContent])"))
        document = json.loads(get(port, "/api/v1/snapshot"))["devices"][0]
        assert rows["UUID"] == document["uuid"] and rows["Bus Id"] == document["pci"]["bus_id"], rows
        assert rows["AI Max"] == "N/A (the driver does not expose this value)", rows["AI Max"]
        detail = subprocess.run([os.environ["TT_SMI"], "--root", os.environ["D"], "-q", "-i", "0"], capture_output=True, text=True, check=True).stdout
        for label in rows:
            assert re.search(rf"^\s*{re.escape(label)}\s+:", detail, re.M), f"{label} is not in tt_smi -q"
        # the chart extends to the current time, also after its first drawing
        now = ("(() => { const chart = document.querySelector('.chart canvas'), copy = document.createElement('canvas');"
               " Object.assign(copy, { width: chart.width, height: chart.height });"
               " const context = copy.getContext('2d', { willReadFrequently: true }); context.drawImage(chart, 0, 0);"
               " return context.getImageData(copy.width - 9, 0, 1, copy.height).data.filter((v, i) => i % 4 === 3 && v).length; })()")
        browser.wait(f"{now} > 10")
        asked = "performance.getEntriesByType('resource').filter((e) => e.name.includes('/history')).length"
        for _ in range(3):
            before = browser.run(f"return {asked}")
            for _ in range(5):
                next_sample(browser)
            browser.wait(f"{now} > 10 || {asked} > arguments[0]", before)
            if browser.run(f"return {asked}") == before:
                break
        else:
            sys.exit("values after the first drawing are only those of the history")
        pids = browser.run("return [...document.querySelectorAll('#processes tr td:first-child')].map((cell) => Number(cell.textContent))")
        assert sorted(pids) == sorted(process["pid"] for process in document["processes"]), pids
        keep(browser, "device")
        browser.resize(390, 844, True)
        next_sample(browser)
        assert browser.run("return document.scrollingElement.scrollWidth - innerWidth") <= 0
        keep(browser, "device-phone")
        browser.resize(1366, 768)
        browser.run("history.back()")
        browser.wait("document.getElementById('back').hidden && !document.getElementById('devices').hidden")
        # no layout shifts while the page is built
        open_page(browser, port, "/#device=1")
        browser.open("about:blank")
        open_page(browser, port, "/#device=1")
        browser.wait("document.querySelectorAll('.chart canvas').length >= 6")
        for _ in range(4):
            next_sample(browser)
        assert_still(browser)
        assert_clean(browser)


def password(port, login):
    """With a password that the browser has remembered everything works; without one nothing is shown."""
    with Browser() as browser:
        browser.open(f"http://127.0.0.1:{port}/")
        assert browser.run(f"return {TILES}") == 0
    with Browser() as browser:
        browser.open(f"http://{login}@127.0.0.1:{port}/page/icon.svg")
        open_page(browser, port)
        next_sample(browser)
        browser.console()  # drops messages: for a single image, the browser requests an icon, which does not exist
        browser.click(".tile")
        browser.wait("document.querySelectorAll('.chart canvas').length >= 6")
        assert "secretword" in browser.text("#processes")
        assert_clean(browser)


FILTERS = """

dram>1G
dram>=1Gi dram<4GiB
dram<0.5k
dram=0
l1!=16M
train
TRAIN
"a b"
user=root
user!=root
user~ROO
dev=0
dev=0,1
dev=1,0
dev=0,
dev=,
dev!=0
dev~1
pid>0
pid~1
time>1m
time<2h&dram>1
time>=1.5d
cpu>=0
peak>1
host>1
state=sleeping
owner=-
owner~slurm
owner="slurm 4711"
status~no
status=x
command~--port
command="a b"
compute>50
growth>0
é
user=
=5
!x
user!root
color=3
dram>x
dram>1X
dram>1Gix
dram>.5G
dram>.
dram>1e3
dram>0x10
dram>-1
user>root
"open
a"b
a"b"
dev="0
time>1w
time>1mm
a b c d e f g h
a b c d e f g h i
dram>1G   &  & user=root
""".split("\n")


def filters(port, tool):
    """Filter expressions select the same processes as on the full screen, with the same error messages, and columns
    sort in the same way."""
    expressions = FILTERS + ["x" * 127, "x" * 128, "user=" + "y" * 200]
    columns = ["pid", "pid", "user", "dram", "dram", "l1", "command", "time", "dev", "status", "user"]
    lines = expressions + [f"sort {column}" for column in columns]
    answer = subprocess.run([tool, os.environ["D"]], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    expected = dict(zip(expressions, answer.stdout.split("\n")))
    orders = answer.stdout.split("\n")[len(expressions):]
    with Browser(2600, 900) as browser:
        open_page(browser, port)
        pids = "[...document.querySelectorAll('#processes tr td:first-child')].map((cell) => cell.textContent).join(' ')"
        for expression in expressions:
            browser.run("const f = document.getElementById('filter'); f.value = ''; f.dispatchEvent(new Event('input'));"
                        " f.maxLength = 1000; f.value = arguments[0]; f.dispatchEvent(new Event('input'))", expression)
            problem = browser.text("#problem")
            shown = f"problem: {problem}" if problem else browser.run(f"return {pids}")
            assert shown == expected[expression], f"{expression}: {shown}, on the full screen {expected[expression]}"
        browser.run("const f = document.getElementById('filter'); f.value = ''; f.dispatchEvent(new Event('input'))")
        for column, order in zip(columns, orders):
            title = f"{column}: "
            browser.run("[...document.querySelectorAll('th button')].find((b) => b.title.startsWith(arguments[0])).click()", title)
            assert browser.run(f"return {pids}") == order, (column, browser.run(f"return {pids}"), order)
        assert len({value for value in expected.values()}) > 12, "the filters select nothing different"
        assert len(set(orders)) > 4, orders
        assert_clean(browser)


if __name__ == "__main__":
    test, port, *words = sys.argv[1:]
    why = missing()
    if why:
        print(why)
        sys.exit(77)
    globals()[test](int(port), *words)
