"""A browser, driven by the WebDriver protocol with nothing but the standard library."""

import json
import subprocess
import time
import urllib.error
import urllib.request

# The keys of the protocol that have no character.
TAB, ENTER, CONTROL, DELETE = "\ue004", "\ue007", "\ue009", "\ue017"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """Chromium without a window, with one page."""

    def __init__(self, driver, chromium):
        self.process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.process.stdout:
            # "ChromeDriver was started successfully on port 40123."
            if "on port" in line:
                self.base = f"http://127.0.0.1:{int(line.rstrip().rstrip('.').split()[-1])}"
                break
        else:
            raise RuntimeError(f"{driver} did not start")
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        options = {"binary": chromium, "args": arguments}
        capabilities = {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.base += f"/session/{answer['sessionId']}"

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()

    def command(self, name, **parameters):
        """A command of the DevTools protocol, for what WebDriver lacks."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def show(self, width, scheme):
        """Gives the window a width and the reader a color scheme."""
        metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 600}
        self.command("Emulation.setDeviceMetricsOverride", **metrics)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.command("Emulation.setEmulatedMedia", features=[feature])

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    @property
    def url(self):
        return self.call("GET", "/url")

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys):
        """Presses keys together, and releases them."""
        actions = [{"type": "keyDown", "value": key} for key in keys]
        actions += [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def type(self, text):
        for character in text:
            self.press(character)

    def enter(self):
        """Presses Enter, and waits for the page that follows."""
        self.run("window.isOld = true")
        self.press(ENTER)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if self.run("return !window.isOld && document.readyState == 'complete'"):
                return
            time.sleep(0.02)
        raise RuntimeError(f"Enter opens no page from {self.url}")

    def errors(self):
        """What the console says since the last call."""
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]
