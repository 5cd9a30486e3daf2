"""A dialogue with a worker that does what it is told line by line."""

import os
import pathlib
import select
import signal
import subprocess
import time

# The calls with which a save reaches the medium.
SYNCS = "fdatasync,fsync"


class Talker:
    """One `storeworker talk`, which ends with the `with` that it is used in."""

    def __init__(self, harness, url, prefix=()):
        self.buffer = b""
        self.process = subprocess.Popen(
            [*prefix, harness.worker, "talk", url],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=harness.environment)
        self.has_prefix = bool(prefix)

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
        worker = self.worker
        if worker:
            os.kill(worker, signal.SIGKILL)
        if self.has_prefix and worker:
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.kill()
        self.process.wait()

    def send(self, *lines):
        try:
            self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def answer(self, timeout=20):
        """The next line; `SILENT` when there is none in time, `GONE` when the worker has ended."""
        end = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [],
                                        max(0, end - time.monotonic()))
            if not ready:
                return "SILENT"
            part = os.read(self.process.stdout.fileno(), 65_536)
            if not part:
                return "GONE"
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()

    def ask(self, line, timeout=20):
        self.send(line)
        return self.answer(timeout)

    @property
    def is_stopped(self):
        """Whether a signal has stopped the worker."""
        worker = self.worker
        if not worker:
            return False
        status = pathlib.Path(f"/proc/{worker}/stat").read_text()
        return status.rsplit(")", 1)[1].split()[0] in "Tt"


def stopping(call, number, *paths):
    """What stops a worker at the Nth call of a kind, on some paths or on any."""
    return ("strace", "-f", "-qq", "-o", "/dev/null",
            *[word for path in paths for word in ("-P", str(path))],
            "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGSTOP:when={number}")
