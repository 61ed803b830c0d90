"""Headless Chromium by its DevTools protocol, with nothing but Python's standard library."""
import base64
import itertools
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time


def find_chromium():
    """The program, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for path in map(shutil.which, names) if path), None)


class WebSocket:
    """A client for text messages (RFC 6455): what a DevTools connection needs."""

    def __init__(self, host, port, path):
        self.socket = socket.create_connection((host, port), timeout=60)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self._more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise ConnectionError(head.decode(errors="replace"))

    def _more(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the browser closed the connection")
        self.buffer += data

    def _take(self, count):
        while len(self.buffer) < count:
            self._more()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def _send(self, opcode, data):
        mask = os.urandom(4)
        size = len(data)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 1 << 16:
            head += b"\xfe" + struct.pack(">H", size)
        else:
            head += b"\xff" + struct.pack(">Q", size)
        self.socket.sendall(head + mask + bytes(b ^ m for b, m in zip(data, itertools.cycle(mask))))

    def send(self, text):
        self._send(1, text.encode())

    def receive(self):
        message = b""
        while True:
            first, second = self._take(2)
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", self._take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._take(8))[0]
            data = self._take(size)
            opcode = first & 15
            if opcode == 8:
                raise ConnectionError("the browser closed the connection")
            if opcode == 9:
                self._send(10, data)
            elif opcode in (0, 1):
                message += data
                if first & 0x80:
                    return message.decode()


class Browser:
    """One page. Use as a context; `problems` lists errors and warnings of the page, `addresses`
    what it asked for."""

    def __init__(self, program, width=1200, height=900):
        self.folder = tempfile.mkdtemp(prefix="talus_chromium_")
        self.log_path = os.path.join(self.folder, "log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [program, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                 "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
                 "--no-first-run", "--disable-extensions", "--remote-debugging-port=0",
                 f"--user-data-dir={self.folder}/profile", f"--window-size={width},{height}",
                 "about:blank"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        self.problems, self.addresses, self.numbers = [], [], itertools.count(1)
        self.session = self.connection = None
        try:
            self._connect()
        except BaseException:
            self.close()
            raise

    def _connect(self):
        found = None
        end = time.monotonic() + 60
        while not found:
            if time.monotonic() > end or self.process.poll() is not None:
                with open(self.log_path, encoding="utf-8", errors="replace") as log:
                    raise RuntimeError("chromium did not start: " + log.read()[-2000:])
            time.sleep(0.05)
            with open(self.log_path, encoding="utf-8", errors="replace") as log:
                found = re.search(r"DevTools listening on ws://([\d.]+):(\d+)(/\S+)", log.read())
        self.connection = WebSocket(found[1], int(found[2]), found[3])
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.connection.send(json.dumps(message))
        while True:
            answer = json.loads(self.connection.receive())
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._event(answer)

    def _event(self, event):
        kind, what = event.get("method"), event.get("params", {})
        if kind == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif kind == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(a.get("value", a.get("description"))) for a in what["args"]))
        elif kind == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            # What the driver says of its own speed is no fault of the page.
            if "GPU stall" not in what["entry"]["text"]:
                self.problems.append(what["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.addresses.append(what["request"]["url"][:200])

    def run(self, script):
        """The value of an expression, awaited when it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def emulate(self, width, height, scale=1, phone=False, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=phone)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.settle(f"devicePixelRatio === {scale} && innerHeight === {height} && "
                    f"matchMedia('(prefers-color-scheme: dark)').matches === {str(dark).lower()}")

    def settle(self, condition):
        """Waits until the condition holds and the page has been laid out and drawn since."""
        end = time.monotonic() + 90
        while not self.run(condition):
            if time.monotonic() > end:
                raise RuntimeError("; ".join([f"the page never came to: {condition}"] + self.problems))
            time.sleep(0.05)
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))")

    def open(self, path):
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.settle("document.readyState === 'complete' && Boolean(window.talus)")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x, y, dx, dy, steps=8):
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for k in range(1, steps + 1):
            self.mouse("mouseMoved", x + dx * k / steps, y + dy * k / steps, button="left", buttons=1)
        self.mouse("mouseReleased", x + dx, y + dy, button="left", clickCount=1)

    def click(self, selector):
        x, y = self.run(f"(r => [r.left + r.width / 2, r.top + r.height / 2])"
                        f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def screenshot(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        if self.connection:
            self.connection.socket.close()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
