"""Saves that wait for each other, which a store commits together.

Each system call of a group is failed once, from there on, and replaced by the end of the process.
Then many threads save at once, killed or cut off from the server, and what they saw is judged.
"""

import dataclasses

import grouped_traffic
from harness import KINDS
from sweeps import Bench, Benches, Point, faults, sweep
from tracing import CHANGING
from trials import PATIENCE, Base
from worker import command_line, is_orderly

# The saves of a group: new rows, a value file, a change, one that is refused since it would undo the
# change, several rows, another value file. The last one follows when they have ended. No save reads: a
# JSON store is locked meanwhile.
GROUP = "put 50;blob 51 20000;put 1;put 1;batch 60 3;blob 3 30000"
# The change, and the save that would undo it.
CHANGE, REFUSED = 2, 3
LAST = "put 52"
# So many of a kind of store in a short run.
SAMPLE = 50


@dataclasses.dataclass
class Said:
    """What a worker said about the saves of a group."""

    is_begun: bool = False
    is_last_begun: bool = False
    has_ended: bool = False
    results: dict = dataclasses.field(default_factory=dict)
    outcomes: dict = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, output):
        said = cls()
        for line in output.decode(errors="replace").split("\n")[:-1]:
            match line.split():
                case ["GROUP"]:
                    said.is_begun = True
                case ["LAST", _]:
                    said.is_last_begun = True
                case ["END"]:
                    said.has_ended = True
                case ["ACK", number]:
                    said.results[int(number)] = "saved"
                case ["NAK", number, code]:
                    said.results[int(number)] = code
                case ["OUT", number, outcome]:
                    said.outcomes[int(number)] = outcome
        return said

    def fate(self, number):
        """Whether a save must be there, must not, or may be: True, False or None."""
        result = self.results.get(number, "outcomeUnknown")
        if result != "outcomeUnknown":
            return result == "saved"
        return {"saved": True, "notSaved": False}.get(self.outcomes.get(number))

    def contradiction(self):
        """A save whose outcome is not what its own error was, None for none."""
        for number, outcome in self.outcomes.items():
            is_saved = self.results.get(number) == "saved"
            if outcome == ("notSaved" if is_saved else "saved") and self.results.get(number) != "outcomeUnknown":
                return f"save {number} ended with {self.results.get(number)}, but it is {outcome}"
        return None


class Group:
    """A group of saves of a store, in place of a trial of the sweeps."""

    def __init__(self, harness, base):
        self.harness = harness
        self.base = base
        self.kind = base.kind
        self.steps = [*GROUP.split(";"), LAST]
        self.first = base.state + 1

    def arguments(self, folder):
        url = self.harness.url(self.kind, folder, timeout=PATIENCE)
        script = ";".join([self.base.script, *self.steps])
        return [self.harness.worker, "group", url, script, str(self.first)]

    def scripts(self, said):
        """The contents that the store may have: of the saves of unknown outcome, the first few are there."""
        begun = len(self.steps) - (not said.is_last_begun) if said.is_begun else 0
        fates = [said.fate(self.first + index) for index in range(begun)]
        unknown = [index for index, fate in enumerate(fates) if fate is None]
        if REFUSED in unknown and fates[CHANGE] is not False:
            unknown.remove(REFUSED)
        for count in range(len(unknown) + 1):
            present = {index for index, fate in enumerate(fates) if fate} | set(unknown[:count])
            # A step that changes nothing is in the place of one that is not there.
            steps = [step if index in present else "fetch" for index, step in enumerate(self.steps)]
            yield ";".join([self.base.script, *steps])

    def __str__(self):
        return f"{self.kind} group"


class GroupBench(Bench):
    """Tries the points of groups."""

    # How many calls the first thread makes depends on when the others come: a run can have one less.
    TRIES = 10
    RUNS = 4

    def calls(self, group):
        """The calls of the first thread, which makes all saves of the group; those of every run."""
        first, *others = [self.traced(group) for _ in range(self.RUNS)]
        common = [{(call.name, call.number) for call in calls} for calls in others]
        return [call for call in first if all((call.name, call.number) in calls for calls in common)]

    def traced(self, group):
        group.base.copy(self.folder)
        arguments = group.arguments(self.folder)
        calls, run = self.tracer.calls(arguments)
        said = Said.read(run.stdout)
        results = [said.results.get(group.first + index) for index in range(len(group.steps))]
        if run.returncode != 0 or results != ["saved"] * 3 + ["conflict"] + ["saved"] * 3:
            self.harness.fail(f"{group} without a fault: {results}", self.hand(group, arguments))
        return until_commit([
            call for call in calls if call.after == "GROUP" and call.thread == calls[0].thread
        ])

    def attempt(self, point):
        group = point.trial
        group.base.copy(self.folder)
        run, is_met = self.tracer.inject(group.arguments(self.folder), point.call, point.fault)
        said = Said.read(run.stdout)
        wrong = said.contradiction() or (complaint(point, run, said) if is_met else None)
        return wrong or self.difference(group, said), is_met

    def difference(self, group, said):
        """What is wrong with the store, None for nothing."""
        url = self.harness.url(group.kind, self.folder, timeout=PATIENCE)
        verdict = None
        for script in group.scripts(said):
            verdict = self.verifier.verdict(url, script, str(script.count(";") + 1))
            if verdict.startswith("OK"):
                return None
        return f"{verdict}, after {said.results} {said.outcomes}"

    def command(self, point):
        line = self.tracer.command(point.trial.arguments(self.folder), point.call, point.fault)
        return f"{point.trial.base.command(self.folder)}; {line}"

    def hand(self, group, arguments):
        return f"{group.base.command(self.folder)}; {command_line(arguments)}"


def until_commit(calls):
    """The calls up to the release of the lock after the last sync; what follows depends on other threads."""
    last = max((index for index, call in enumerate(calls) if call.name in ("fsync", "fdatasync")), default=0)
    end = next((index for index in range(last, len(calls)) if calls[index].name == "close"), len(calls))
    return calls[:end + 1]


def complaint(point, run, said):
    """What is wrong with how a worker ended, None for nothing."""
    if run.returncode is None:
        return "it hangs"
    if point.fault.kills:
        return None
    if not is_orderly(run.returncode) or not said.has_ended:
        return f"it ended with {run.returncode}: {run.stderr[-300:].decode(errors='replace')}"
    last = said.results.get(point.trial.first + len(point.trial.steps) - 1)
    if last != "saved" and not point.fault.is_sticky:
        return f"the save after a fault that came once ended with {last}"
    return None


def run(harness):
    with Benches(harness, GroupBench) as benches:
        points = []
        for kind in KINDS:
            group = Group(harness, Base.closed(harness, kind))
            calls = benches.mine.calls(group)
            own = [
                Point(group, call, fault)
                for call in calls
                for fault in faults(call, harness.is_release)
                if not harness.is_quick or call.name in CHANGING
            ]
            harness.count(f"system calls of a group of {kind}", len(calls), 5)
            if harness.is_quick:
                own = harness.random(kind).sample(own, min(SAMPLE, len(own)))
            points += own
        met = sweep(harness, benches, points)
    harness.count("points, a fault of a call of a group each", met, len(points))
    grouped_traffic.run(harness)
