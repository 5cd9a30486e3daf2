"""What all parts of the fault harness share: counting, failing, skipping, and where to work."""

import dataclasses
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STORES = ("json", "sqlite")
# With the JSON store that has no journal, for the parts that look at what a save does to files.
KINDS = (*STORES, "archive")
SUFFIXES = {"json": "json", "sqlite": "db", "archive": "json"}
SCHEMES = {"archive": "json"}
OPTIONS = {"archive": {"journal": "off"}}


def store_url(kind, path, **options):
    """The URL of a store of a kind."""
    # The folder of a store may be gone with the power that went off.
    folder = {"folder": "create"} if SCHEMES.get(kind, kind) in ("sqlite", "json") else {}
    options = folder | OPTIONS.get(kind, {}) | options
    text = f"{SCHEMES.get(kind, kind)}:{path}"
    return text + ("?" if options else "") + "&".join(f"{key}={options[key]}" for key in options)


@dataclasses.dataclass
class Figure:
    """A number that a part reached, and the one that it must reach."""

    part: str
    name: str
    count: int
    goal: int
    seconds: float


class Harness:
    """One run of the harness.

    Parts count what they did, and report what was wrong with the command that shows it again.
    """

    def __init__(self, worker, scratch, seed=1, is_release=False):
        self.worker = str(worker)
        self.scratch = pathlib.Path(scratch)
        self.seed = seed
        self.is_release = is_release
        self.figures = []
        self.failures = []
        self.skips = []
        self.part = ""
        self.is_quick = False
        self.stops_at_failure = False
        # What alone is fuzzed; None for all.
        self.fuzz_targets = None
        # How long each target is fuzzed, and writers meet readers; None for as long as planned.
        self.seconds = None
        self._began = time.monotonic()
        # Swift's own report of a crash takes seconds and holds the pipe open.
        self.environment = dict(os.environ, SWIFT_BACKTRACE="enable=no")

    def begin(self, part):
        """Starts a part; its figures and failures carry its name."""
        self.part = part
        self._began = time.monotonic()

    def random(self, *names):
        """Numbers that follow from the seed and the names alone."""
        return random.Random(f"{self.seed} {self.part} {' '.join(map(str, names))}")

    def folder(self, name):
        """An empty folder to work in, in memory."""
        path = self.scratch / self.part / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def url(self, kind, folder, **options):
        """The URL of a store of a kind in a folder."""
        return store_url(kind, self.path(kind, folder), **options)

    def path(self, kind, folder):
        """The file of a store of a kind in a folder."""
        return pathlib.Path(folder, f"s.{SUFFIXES[kind]}")

    def count(self, name, count, goal=0):
        """Notes a figure, and prints it."""
        figure = Figure(self.part, name, count, goal, time.monotonic() - self._began)
        self.figures.append(figure)
        reached = "" if count >= goal else "  NOT REACHED"
        wanted = f" of {goal:,}" if goal else ""
        print(f"  {name}: {count:,}{wanted} ({figure.seconds:.0f} s){reached}", flush=True)

    def fail(self, what, command):
        """Notes that a promise was broken, with the command that shows it again."""
        self.failures.append((self.part, what, command))
        print(f"  FAILED {what}\n    {command}", flush=True)
        if not self.stops_at_failure:
            return
        if threading.current_thread() is threading.main_thread():
            # What is mounted is unmounted on the way out.
            sys.exit(1)
        shutil.rmtree(self.scratch, ignore_errors=True)
        os._exit(1)

    def skip(self, what, why):
        """Notes that something could not be done here."""
        self.skips.append((self.part, what, why))
        print(f"  SKIPPED {what}: {why}", flush=True)

    def run(self, arguments, timeout=60, **options):
        """Runs a program to its end; one that hangs is killed with its children, its code None."""
        process = subprocess.Popen(
            [str(argument) for argument in arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            start_new_session=True,
            **options,
        )
        is_hung = False
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            # A tracer's child would live on, and hold the pipes open.
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            is_hung = True
        code = None if is_hung else process.returncode
        return subprocess.CompletedProcess(arguments, code, out, err)

    def summary(self):
        """Prints what was reached.

        Returns whether everything was done and nothing was wrong.
        """
        short = [figure for figure in self.figures if figure.count < figure.goal]
        print(f"\n{len(self.figures)} figures, {len(self.failures)} failures, "
              f"{len(self.skips)} skipped, {len(short)} goals not reached")
        for part, what, command in self.failures:
            print(f"failed in {part}: {what}\n  {command}")
        for part, what, why in self.skips:
            print(f"skipped in {part}: {what}: {why}")
        for figure in short:
            print(f"not reached in {figure.part}: {figure.name} {figure.count} of {figure.goal}")
        sys.stdout.flush()
        return not (self.failures or self.skips or short)
