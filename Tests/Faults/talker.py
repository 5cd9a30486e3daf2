"""A dialogue with a worker that performs requests line by line."""

import contextlib
import os
import pathlib
import select
import signal
import subprocess
import time

# The calls with which a save reaches the medium.
SYNCS = "fdatasync,fsync"


class Dialogue:
    """Requests to a worker, and its responses."""

    # How many seconds a wait for a response lasts until the end of the worker is checked.
    glance = 1e9
    has_ended = False

    def __init__(self, requests, responses):
        self.requests = requests
        self.responses = responses
        self.buffer = b""

    def send(self, *lines):
        try:
            self.requests.write("".join(f"{line}\n" for line in lines).encode())
            self.requests.flush()
        except BrokenPipeError:
            pass

    def response(self, timeout=20):
        """The next line; `SILENT` when there is none in time, `GONE` when the worker has ended."""
        end = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            rest = max(0, end - time.monotonic())
            ready, _, _ = select.select([self.responses], [], [], min(rest, self.glance))
            if not ready and (rest == 0 or self.has_ended):
                return "SILENT" if rest == 0 else "GONE"
            if not ready:
                continue
            part = os.read(self.responses.fileno(), 65_536)
            if not part:
                return "GONE"
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()

    def ask(self, line, timeout=20):
        self.send(line)
        return self.response(timeout)

    def response_or_stop(self, trace, timeout=20):
        """The next line, or `STOPPED` when a trace says that a signal has stopped the worker."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            response = self.response(0.002)
            if response != "SILENT":
                return response
            if trace.exists() and b"--- stopped by SIGSTOP ---" in trace.read_bytes():
                return "STOPPED"
        return "SILENT"


class Talker(Dialogue):
    """One `storeworker talk`, which ends with the `with` that it is used in."""

    def __init__(self, harness, url, prefix=(), command=None):
        self.process = subprocess.Popen(
            [*prefix, *(command or [harness.worker, "talk", url])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=harness.environment)
        self.has_prefix = bool(prefix)
        super().__init__(self.process.stdin, self.process.stdout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.process.stdin.close()
        self.process.stdout.close()

    @property
    def worker(self):
        """The process of the worker itself, which may be the child of a tracer."""
        number = self.process.pid
        if not self.has_prefix:
            return number
        children = pathlib.Path(f"/proc/{number}/task/{number}/children").read_text().split()
        return int(children[0]) if children else None

    def kill(self):
        if self.process.poll() is not None:
            return
        # A worker that a signal has just ended is gone as soon as its tracer has noticed.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            worker = self.worker
            if worker:
                os.kill(worker, signal.SIGKILL)
            if self.has_prefix and worker:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(5)
        self.process.kill()
        self.process.wait()

    @property
    def is_stopped(self):
        """Whether a signal has stopped the worker."""
        worker = self.worker
        if not worker:
            return False
        status = pathlib.Path(f"/proc/{worker}/stat").read_text()
        return status.rsplit(")", 1)[1].split()[0] in "Tt"


class Branch(Dialogue):
    """A child of a worker, which has all that its parent had and receives its own requests."""

    glance = 0.05

    def __init__(self, parent, prefix):
        """Makes a worker fork; the names of the child's pipes begin with a prefix."""
        self.number = None
        pipes = [f"{prefix}.{name}" for name in ("requests", "responses")]
        for pipe in pipes:
            if os.path.exists(pipe):
                os.unlink(pipe)
            os.mkfifo(pipe)
        # Open for both, no end waits for the other; the end of the child is seen elsewhere.
        opened = [open(pipe, "r+b", buffering=0) for pipe in pipes]
        super().__init__(*opened)
        response = parent.ask(f"branch {' '.join(pipes)}")
        if response.startswith("ACK"):
            self.number = int(response.split()[1])
            self.response()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.has_ended:
            os.kill(self.number, signal.SIGKILL)
        self.requests.close()
        self.responses.close()

    @property
    def has_ended(self):
        """Whether the child has; a dead one stays until its parent looks."""
        try:
            status = pathlib.Path(f"/proc/{self.number}/stat").read_text()
        except OSError:
            return True
        return status.rsplit(")", 1)[1].split()[0] == "Z"

    def become(self):
        """Makes it become a new program, which knows nothing of its earlier requests."""
        self.send("become")
        self._wait(lambda: self.has_ended or self._command.startswith(b"storeworker\0"))

    @property
    def _command(self):
        return pathlib.Path(f"/proc/{self.number}/cmdline").read_bytes()

    def wait(self):
        """Waits for its end; returns whether it came."""
        self._wait(lambda: self.has_ended)
        return self.has_ended

    def _wait(self, is_over, timeout=20):
        end = time.monotonic() + timeout
        while not is_over() and time.monotonic() < end:
            time.sleep(0.002)


def tracing(call, trace, *paths):
    """What notes a worker's calls of a kind, on some paths or on any."""
    return ("strace", "-f", "-qq", "-o", str(trace),
            *[word for path in paths for word in ("-P", str(path))], "-e", f"trace={call}")


def stopping(call, number, *paths, trace="/dev/null"):
    """What stops a worker at the Nth call of a kind, on some paths or on any."""
    return (*tracing(call, trace, *paths), "-e", f"inject={call}:signal=SIGSTOP:when={number}")
