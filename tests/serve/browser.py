"""A real Chromium without a window, driven over WebDriver."""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE = 300  # seconds; only ends a test that hangs

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-extensions", "--mute-audio",
         "--hide-scrollbars", "--force-device-scale-factor=1"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014",
        "Down": "\ue015", "Shift": "\ue008", "Backspace": "\ue003"}

# Records all layout shifts that no action of the user has caused, from the first paint on.
OBSERVER = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    window.shifts.push({ value: entry.value, input: entry.hadRecentInput,
      what: entry.sources.map((s) => `${s.node?.id || s.node?.className || s.node?.nodeName} ` +
        `${JSON.stringify(s.previousRect)} -> ${JSON.stringify(s.currentRect)}`) });
}).observe({ type: "layout-shift", buffered: true });
window.errors = [];
window.addEventListener("error", (event) => window.errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => window.errors.push(String(event.reason)));
document.addEventListener("securitypolicyviolation", (event) =>
  window.errors.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


def missing():
    """The reason why the browser cannot be used, or None."""
    for program in "chromium", "chromedriver":
        if not shutil.which(program):
            return f"{program} is not installed"
    return None


class Browser:
    def __init__(self, width=1366, height=768):
        # A short name: the browser has a socket below it.
        self.folder = tempfile.mkdtemp()
        environment = dict(os.environ, HOME=self.folder, TMPDIR=self.folder, LC_ALL="C.UTF-8")
        for _ in range(20):
            if self.start_driver(environment):
                break
        else:
            raise AssertionError("chromedriver ends each time")
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": FLAGS + [f"--user-data-dir={self.folder}/profile"]},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}})
        self.base += f"/session/{answer['sessionId']}"
        self.resize(width, height)
        self.cdp("Page.enable")
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=OBSERVER)

    def start_driver(self, environment):
        """Returns false if it has ended: it takes a free port of IPv6, and ends if that of IPv4 is in use."""
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       env=environment, text=True)
        for line in self.driver.stdout:
            started = re.search(r"started successfully on port (\d+)", line)
            if started:
                self.base = f"http://127.0.0.1:{started.group(1)}"
                return True
        self.driver.wait()
        self.driver.stdout.close()
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            self.remove_folder()

    def remove_folder(self):
        """Processes of the browser may end after the driver, and write until then."""
        end = time.monotonic() + PATIENCE
        while os.path.exists(self.folder):
            shutil.rmtree(self.folder, ignore_errors=True)
            assert time.monotonic() < end, f"the browser still writes to {self.folder}"
            time.sleep(0.05)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height, mobile=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def prefer(self, scheme):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": arguments})

    def run_async(self, script, *arguments):
        return self.call("POST", "/execute/async", {"script": script, "args": arguments})

    def press(self, *keys):
        actions = []
        for key in keys:
            held = [KEYS.get(part, part) for part in (key.split("+") if len(key) > 1 else [key])]
            actions += [{"type": "keyDown", "value": part} for part in held]
            actions += [{"type": "keyUp", "value": part} for part in reversed(held)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def click(self, selector):
        element = self.call("POST", "/element", {"using": "css selector", "value": selector})
        self.call("POST", f"/element/{element[ELEMENT]}/click", {})

    def tap(self, selector):
        """A touch, as on a phone."""
        x, y = self.run("const e = document.querySelector(arguments[0]); e.scrollIntoView({ block: 'center' });"
                        " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]", selector)
        self.cdp("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.cdp("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def wait(self, script, *arguments):
        """Repeats the script until it returns something true, and returns that."""
        end = time.monotonic() + PATIENCE
        while True:
            value = self.run(f"return ({script})", *arguments)
            if value:
                return value
            assert time.monotonic() < end, f"not within five minutes: {script}\n{self.run('return document.body.innerText')}"
            time.sleep(0.05)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def console(self):
        """The messages in the browser's console since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def shifts(self):
        return self.run("return window.shifts.filter((shift) => !shift.input)")

    def errors(self):
        return self.run("return window.errors")
