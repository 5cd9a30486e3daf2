"""Stores at the limits of the machine: full, refused, too large, too many, read-only.

Each operation begins under a limit. At the first response that it failed the limit is taken away,
and the same save, by the same context, must succeed.
"""

import collections
import concurrent.futures
import contextlib
import hashlib
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading

from harness import STORES
from limited import FAMILIES
from trials import OPERATIONS, PATIENCE, Trial, bases
from worker import Verifier, command_line, is_orderly, read_outcome

GOAL = 300
NAMES = (
    "create", "open after a kill", "insert", "update", "delete", "batch", "link",
    "new value file", "other value file", "clear", "migrate", "compact", "reopen",
)  # fmt: skip
# A worker that says nothing for so many seconds hangs.
HANG = 20


class Attempt:
    """One operation under one limit."""

    def __init__(self, trial, limit):
        self.trial = trial
        self.limit = limit
        self.store = limit.folder / "store"
        self.output = b""
        self.code = None
        self.wrong = None

    def make_store(self):
        if self.store.exists():
            shutil.rmtree(self.store)
        self.trial.base.copy(self.store)

    @property
    def is_refused(self):
        return b"NAK" in self.output

    @property
    def arguments(self):
        arguments = self.trial.arguments(self.store, "--after-failure", "wait")
        return [*self.limit.prefix, *arguments]

    def run(self):
        """Runs under the limit until something fails, and then without it."""
        self.limit.impose(self.store)
        try:
            before = digest(self.store) if self.limit.is_read_only else None
            self._run(before)
        finally:
            self.limit.lift(None)
        self.outcome = read_outcome(self.output, before=self.trial.base.state)
        self.wrong = self.wrong or self._complaint()

    def _run(self, before):
        process = subprocess.Popen(
            self.arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=self.trial.harness.environment,
            # Python ignores the signal of a file that becomes too large, and so does its child.
            restore_signals=self.limit.is_deadly,
        )
        watchdog = threading.Timer(HANG, process.kill)
        watchdog.start()
        with process:
            for line in process.stdout:
                self.output += line
                if not line.startswith(b"NAK"):
                    continue
                if before and before != digest(self.store):
                    self.wrong = "a file changed in a store that was refused"
                self.limit.lift(process)
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.write(b"\n")
        watchdog.cancel()
        self.code = process.returncode

    def _complaint(self):
        """What is wrong with how the worker ended, None for nothing."""
        if self.code == -signal.SIGKILL:
            return "it hangs"
        if self.limit.is_deadly and self.code == -signal.SIGXFSZ:
            return None
        if not is_orderly(self.code):
            return f"it ended with {self.code}"
        if self.code == 3:
            said = ", ".join(code for _, code in self.outcome.refusals)
            return f"it does not succeed once the limit is gone: {said}"
        return None

    def complete(self, verifier):
        """Verifies what is there, and does the operation where it was not done."""
        url = self.trial.harness.url(self.trial.kind, self.store, timeout=PATIENCE)
        verdict = verifier.verdict(url, self.trial.script, self.trial.allowed(self.outcome))
        if not verdict.startswith("OK "):
            self.wrong = verdict
        elif self.code != 0:
            done = int(verdict.split()[1]) - self.trial.base.state
            run = self.trial.harness.run(self.trial.arguments(self.store, done=done))
            if run.returncode != 0:
                self.wrong = f"it does not open once the limit is gone: {run.stdout.decode()}"

    @property
    def command(self):
        """What runs it by hand, the limit aside."""
        return f"{self.trial.base.command(self.store)}; {command_line(self.arguments)}"


def digest(folder):
    """What names, sizes and bytes there are in a folder."""
    state = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        # Who holds the lock is written into it, and means nothing.
        content = path.read_bytes() if path.is_file() and path.suffix != ".lock" else b""
        state.update(repr((str(path), content)).encode())
    return state.digest()


def selected(harness, trials, limit):
    """The operations for a limit; few of those that a limit refuses all alike."""
    names = NAMES if not limit.is_read_only or harness.is_release else ("create", *NAMES[1:5])
    return [trial for trial in trials if trial.operation.name in names]


def sweep(harness, kind, scratch):
    """All limits on one kind of store.

    Returns how often each family of limits was tried, and how often it refused something.
    """
    stores = bases(harness, kind)
    trials = [Trial(harness, kind, operation, stores[operation.base]) for operation in OPERATIONS]
    tried, refused = collections.Counter(), collections.Counter()
    with Verifier(harness) as verifier:
        for family in FAMILIES:
            name = family.__name__
            try:
                for limit in family(scratch / f"{kind}-{name}"):
                    for trial in selected(harness, trials, limit):
                        tried[name] += 1
                        refused[name] += attempt(harness, trial, limit, verifier)
            except OSError as error:
                harness.skip(f"{kind}: {name}", str(error))
            if tried[name] and not refused[name]:
                harness.fail(f"{kind}: the limit {name} refused nothing", "")
    return tried, refused


def attempt(harness, trial, limit, verifier):
    """Tries an operation under a limit, and returns whether something was refused."""
    attempt = Attempt(trial, limit)
    attempt.make_store()
    attempt.run()
    attempt.complete(verifier)
    if attempt.wrong:
        harness.fail(f"{trial}, {limit}: {attempt.wrong}", attempt.command)
    return attempt.is_refused


def run(harness):
    # Somebody else must be able to get here, and to run the worker.
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="faults-", dir=harness.scratch.parent))
    scratch.chmod(0o755)
    worker = harness.worker
    harness.worker = shutil.copy(worker, scratch)
    try:
        with concurrent.futures.ThreadPoolExecutor(len(STORES)) as executor:
            results = list(executor.map(lambda kind: sweep(harness, kind, scratch), STORES))
    finally:
        harness.worker = worker
        shutil.rmtree(scratch)
    tried = sum((tried for tried, _ in results), collections.Counter())
    refused = sum((refused for _, refused in results), collections.Counter())
    for name in tried:
        harness.count(f"operations under a limit, {name.replace('_', ' ')}", tried[name])
    refusals = sum(refused.values())
    harness.count("of these, refused, and done once the limit was gone", refusals, GOAL)
