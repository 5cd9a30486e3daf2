"""The operations whose system calls are failed, and the stores on which they begin."""

import dataclasses
import shutil

from tracing import KILL, Tracer
from worker import Verifier, command_line, read_outcome, run_arguments

# Every kind of row, both ends of a relationship, a value in a file of its own.
FIRST_STEPS = "put 1;put 2;link 1 1;link 2 1;link 4 1;blob 3 20000;batch 10 5"
FIRST_COUNT = FIRST_STEPS.count(";") + 1
# A lock that nobody gives back is waited for this long, in seconds.
PATIENCE = 0.05


@dataclasses.dataclass(frozen=True)
class Operation:
    """Something that a worker does to a store, at the end of a script."""

    name: str
    # The step, or more than one; empty for opening and closing alone.
    step: str = ""
    # What is there before: nothing, a `closed` store, or what a `killed` worker left.
    base: str = "closed"
    # Which calls of a run belong to it: `all`, those of `opening`, or those `after` it.
    part: str = "after"
    # Whether it is left out of a short run: its calls are much like those of others.
    is_similar: bool = False

    def owns(self, call):
        """Whether a call of the traced run belongs to the operation."""
        return self.part == "all" or (self.part == "opening") == (call.after == "")


OPERATIONS = [
    Operation("create", "put 1", base="none", part="all"),
    Operation("open", part="opening"),
    Operation("open after a kill", base="killed", part="all"),
    Operation("insert", "put 50"),
    Operation("update", "put 1"),
    Operation("delete", "drop 2"),
    Operation("batch", "batch 100 1000"),
    Operation("link", "link 3 1"),
    Operation("unlink", "unlink 1", is_similar=True),
    Operation("turn", "turn 1", is_similar=True),
    Operation("new value file", "blob 1 20000"),
    Operation("several value files", "blobs 20 3 20000"),
    Operation("other value file", "blob 3 30000", is_similar=True),
    Operation("clear", "clear", is_similar=True),
    Operation("fetch", "fetch"),
    Operation("rollback", "rollback 1"),
    Operation("migrate", "widen"),
    Operation("compact", "put 50;compact"),
    Operation("reopen", "reopen", is_similar=True),
    Operation("close"),
]


class Base:
    """A store on which operations begin: made once, copied for each."""

    def __init__(self, harness, kind, name, script="", state=0):
        self.harness = harness
        self.kind = kind
        self.script = script
        self.state = state
        self.folder = harness.folder(f"{kind}-{name}")
        # The lines for a shell that make it.
        self.commands = [f"rm -rf {self.folder}; mkdir -p {self.folder}"]

    @classmethod
    def closed(cls, harness, kind):
        """A store whose worker closed it."""
        base = cls(harness, kind, "closed", FIRST_STEPS, FIRST_COUNT)
        arguments = run_arguments(harness, harness.url(kind, base.folder), base.script)
        base.commands.append(command_line(arguments))
        if harness.run(arguments).returncode != 0:
            raise RuntimeError(f"no store to begin with: {base.commands[-1]}")
        return base

    @classmethod
    def killed(cls, trial, call, name):
        """What a worker leaves that is killed at a call of an operation."""
        harness = trial.base.harness
        base = cls(harness, trial.kind, name, trial.script)
        tracer = Tracer(harness, base.folder)
        trial.base.copy(base.folder)
        arguments = trial.arguments(base.folder)
        run, is_met = tracer.inject(arguments, call, KILL)
        if not is_met:
            raise RuntimeError(f"{trial}, {call} is not met")
        command = tracer.command(arguments, call, KILL)
        base.commands = [*trial.base.commands, trial.base.copy_command(base.folder), command]
        base.state = base._recovered_state(trial.allowed(trial.outcome(run)))
        return base

    def _recovered_state(self, allowed):
        """The state that is found when what a dead worker left is opened."""
        copy = self.folder.with_name(self.folder.name + "-opened")
        self.copy(copy)
        with Verifier(self.harness) as verifier:
            verdict = verifier.verdict(self.harness.url(self.kind, copy), self.script, allowed)
        shutil.rmtree(copy)
        if verdict.startswith("OK "):
            return int(verdict.split()[1])
        self.harness.fail(f"opening what a kill left: {verdict}", "; ".join(self.commands))
        return None

    def copy(self, folder):
        """Replaces a folder with a copy."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder, folder)

    def copy_command(self, folder):
        """The command that replaces a folder with a copy by hand."""
        return f"rm -rf {folder}; cp -a {self.folder} {folder}"

    def command(self, folder):
        """What makes the store, and a copy of it, by hand."""
        return "; ".join([*self.commands, self.copy_command(folder)])


class Trial:
    """An operation on a store of one kind: how it is run, and what must come of it."""

    def __init__(self, harness, kind, operation, base):
        self.harness = harness
        self.kind = kind
        self.operation = operation
        self.base = base
        parts = (base.script, operation.step)
        self.script = ";".join(part for part in parts if part)
        self.steps = len(operation.step.split(";")) if operation.step else 0
        # What was done before, for reports.
        self.origin = ""

    def arguments(self, folder, *options, done=0):
        """The command line of the operation on the store in a folder.

        As much of it as `done` says was done already.
        """
        url = self.harness.url(self.kind, folder, timeout=PATIENCE)
        steps = ("--from", self.base.state + done + 1, "--count", self.steps - done)
        return run_arguments(self.harness, url, self.script, *steps, *options)

    def outcome(self, run):
        """What a run said."""
        return read_outcome(run.stdout, before=self.base.state)

    def allowed(self, outcome):
        """The states in which the store may be, as the verifier reads them."""
        # An opening that failed may have migrated: the rows are the same.
        if self.operation.step == "widen" and outcome.tried > outcome.acknowledged:
            return f"{self.base.state},{self.base.state + 1}"
        return outcome.allowed_text

    def __str__(self):
        return f"{self.origin}{self.kind} {self.operation.name}"


def killed_in_sync(base):
    """What is left when all is written of a save, and nothing is on the medium."""
    trial = Trial(base.harness, base.kind, Operation("insert", "put 20"), base)
    folder = base.harness.folder(f"{base.kind}-traced")
    base.copy(folder)
    calls, _ = Tracer(base.harness, folder).calls(trial.arguments(folder))
    sync = next(call for call in calls if call.after and call.name in ("fsync", "fdatasync"))
    return Base.killed(trial, sync, "killed")


def bases(harness, kind):
    """The stores of a kind on which operations begin, by name."""
    closed = Base.closed(harness, kind)
    return {"none": Base(harness, kind, "none"), "closed": closed, "killed": killed_in_sync(closed)}
