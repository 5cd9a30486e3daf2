"""Each system call of each operation, failed once, from there on, and replaced by the end.

The calls are those of a traced run (`tracing.py`); each of them is a point for each fault. After
each the worker must have ended orderly, and the store must be in a state that its responses allow.
"""

import concurrent.futures
import dataclasses
import itertools
import threading

import shortened
from harness import KINDS
from trials import OPERATIONS, PATIENCE, Trial, bases
from tracing import CHANGING, KILL, Call, Fault, Tracer, error
from worker import Verifier, command_line, is_orderly

WORKERS = 2
GOAL = 3_000
RELEASE_GOAL = 20_000
MORE_ERRORS = ("EACCES", "EROFS", "EDQUOT")
OPEN_ERRORS = ("EMFILE", "ENFILE")
# These report interruptions to programs on Linux.
INTERRUPTIBLE = {"openat", "pread64", "pwrite64", "ftruncate", "flock"}


def faults(call, is_release):
    """What is done to a call."""
    if call.gives_back:
        # The system refuses no such call, and one that is replaced would give nothing back.
        yield KILL
        return
    changes = call.name in CHANGING
    # Before a call that changes nothing, files and responses are as before the next that does.
    if changes or is_release:
        yield KILL
    yield from both("EIO", call)
    if is_release:
        yield from both("ENOSPC", call)
    elif changes:
        yield error("ENOSPC")
    if call.name in INTERRUPTIBLE:
        yield error("EINTR")
    if is_release:
        for name in MORE_ERRORS + (OPEN_ERRORS if call.name == "openat" else ()):
            yield from both(name, call)


def both(name, call):
    """An error once, and from there on."""
    yield error(name)
    # SQLite tries a lock for ten seconds when the call itself fails, again for each statement.
    if call.name != "fcntl":
        yield error(name, is_sticky=True)


@dataclasses.dataclass(frozen=True)
class Point:
    """A fault of one call of an operation."""

    trial: Trial
    call: Call
    fault: Fault

    def __str__(self):
        return f"{self.trial}, {self.call}: {self.fault}"


class Bench:
    """Where points are tried, one after the other: a folder, a tracer and a verifier."""

    # How often a point is tried until the fault meets its call.
    TRIES = 2

    def __init__(self, harness, name):
        self.harness = harness
        self.folder = harness.folder(name)
        self.tracer = Tracer(harness, self.folder)
        self.verifier = Verifier(harness)

    def calls(self, trial):
        """The calls of an operation without a fault."""
        trial.base.copy(self.folder)
        arguments = trial.arguments(self.folder)
        calls, run = self.tracer.calls(arguments)
        if run.returncode != 0:
            command = f"{trial.base.command(self.folder)}; {command_line(arguments)}"
            self.harness.fail(f"{trial} without a fault", command)
        return [call for call in calls if trial.operation.owns(call)]

    def attempt(self, point):
        """Tries a point.

        Returns what was wrong, None for nothing, and whether the fault met the call.
        """
        trial = point.trial
        trial.base.copy(self.folder)
        arguments = trial.arguments(self.folder)
        run, is_met = self.tracer.inject(arguments, point.call, point.fault)
        outcome = trial.outcome(run)
        wrong = None if not is_met else complaint(point, run, outcome)
        url = self.harness.url(trial.kind, self.folder, timeout=PATIENCE)
        verdict = self.verifier.verdict(url, trial.script, trial.allowed(outcome))
        if not verdict.startswith("OK"):
            wrong = verdict
        return wrong, is_met

    def command(self, point):
        """What tries a point by hand."""
        trial = point.trial
        arguments = trial.arguments(self.folder)
        line = self.tracer.command(arguments, point.call, point.fault)
        url = self.harness.url(trial.kind, self.folder)
        check = self.verifier.command(url, trial.script, f"0-{trial.base.state + trial.steps}")
        return f"{trial.base.command(self.folder)}; {line}; {check}"


def complaint(point, run, outcome):
    """What is wrong with how a worker ended, None for nothing."""
    if run.returncode is None:
        return "it hangs"
    if point.fault.kills:
        return None
    if not is_orderly(run.returncode):
        return f"it ended with {run.returncode}: {run.stderr[-300:].decode(errors='replace')}"
    if point.fault.is_sticky and run.returncode != 0:
        return None
    if b"LEAK" in run.stdout:
        return "descriptors are left open"
    if run.returncode == 0 or (run.returncode == 4 and point.fault.name != "EINTR"):
        return None
    said = ", ".join(code for _, code in outcome.refusals)
    return f"it gave up after a fault that came once: {said}"


class Benches:
    """A bench for each thread that works."""

    def __init__(self, harness, kind=Bench):
        self.harness = harness
        self.kind = kind
        self.numbers = itertools.count()
        self.all = []
        self.own = threading.local()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for bench in self.all:
            bench.verifier.stop()

    @property
    def mine(self):
        if not hasattr(self.own, "bench"):
            self.own.bench = self.kind(self.harness, f"bench-{next(self.numbers)}")
            self.all.append(self.own.bench)
        return self.own.bench


def sweep(harness, benches, points):
    """Tries points, and returns how many there were whose fault met its call."""

    def attempt(point):
        bench = benches.mine
        for _ in range(bench.TRIES):
            wrong, is_met = bench.attempt(point)
            if is_met or wrong:
                break
        else:
            wrong = "the fault did not meet the call"
        if wrong:
            harness.fail(f"{point}: {wrong}", bench.command(point))
        return is_met

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as executor:
        return sum(executor.map(attempt, points))


def trials(harness):
    """Each operation on each kind of store."""
    for kind in KINDS:
        stores = bases(harness, kind)
        for operation in OPERATIONS:
            if operation.is_similar and not harness.is_release:
                continue
            base = stores[operation.base]
            if base.state is not None:
                yield Trial(harness, kind, operation, base)


def run(harness):
    with Benches(harness) as benches:
        operations = list(trials(harness))
        harness.count("operations on the kinds of store", len(operations), 24)
        harness.count("of them with short transfers", shortened.sweep(benches.mine, operations))
        calls = [(trial, call) for trial in operations for call in benches.mine.calls(trial)]
        points = [
            Point(trial, call, fault)
            for trial, call in calls
            for fault in faults(call, harness.is_release)
        ]
        harness.count("system calls of them", len(calls))
        # What is wrong with one operation is found soon, whichever comes last.
        harness.random("order").shuffle(points)
        met = sweep(harness, benches, points)
    harness.count("points, a fault of a call each", met, len(points))
    harness.count("system-call points", met, RELEASE_GOAL if harness.is_release else GOAL)
