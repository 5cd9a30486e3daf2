"""Asking the worker what it finds in each of many states."""

import collections
import dataclasses
import pathlib
import shutil
import threading

from crashstates import crash_states
from recording import write_files
from worker import Verifier, command_line

# One for each core of a small machine.
VERIFIERS = 2


@dataclasses.dataclass
class Violation:
    """A state that a store must never be in after a loss of power."""

    verdict: str
    what: str
    folder: pathlib.Path
    command: str

    @property
    def kind(self):
        """The first word of the verdict."""
        return self.verdict.split()[0]


class StateCheck:
    """Checks the crash states of recordings, and keeps those that are wrong."""

    def __init__(self, harness, most=3):
        self.harness = harness
        self.most = most
        self.verdicts = collections.Counter()
        self.contents = set()
        self.violations = []
        # States that were found in order, with what they are: to go on from.
        self.bases = []
        self._limit = most
        self._lock = threading.Lock()

    def check(self, recording, density, numbers, allows_prefix=False, base_chance=0.0):
        """Checks one recording; stops when too many of its states are wrong."""
        self._limit = len(self.violations) + self.most
        states = crash_states(recording, density, numbers, allows_prefix=allows_prefix)
        threads = [
            threading.Thread(target=self._work, args=(recording, states, numbers, base_chance))
            for _ in range(VERIFIERS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self, recording, states, numbers, base_chance):
        folder = self.harness.folder(f"{recording.folder.name}.{threading.get_ident()}")
        with Verifier(self.harness) as verifier:
            while True:
                with self._lock:
                    if len(self.violations) >= self._limit:
                        break
                    state = next(states, None)
                    is_base = numbers.random() < base_chance
                if state is None:
                    break
                verdict = self._verdict(recording, state, folder, verifier)
                self._note(recording, state, verdict, is_base)
        shutil.rmtree(folder, ignore_errors=True)

    def _verdict(self, recording, state, folder, verifier):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        write_files(folder, state.files)
        return verifier.verdict(recording.url(folder), recording.script, state.allowed)

    def _note(self, recording, state, verdict, is_base):
        word, _, rest = verdict.partition(" ")
        with self._lock:
            self.verdicts[word] += 1
            self.contents.add((recording.folder.name, state.content))
            if word != "OK":
                violation = self._violation(recording, state, verdict)
                self.violations.append(violation)
                if self.harness.stops_at_failure:
                    self.harness.fail(violation.what, violation.command)
            elif is_base:
                self.bases.append((recording, state, int(rest)))

    def _violation(self, recording, state, verdict):
        """Keeps a state, so that it can be looked at."""
        name = f"violation-{recording.folder.name}-{len(self.violations)}"
        folder = self.harness.folder(name)
        write_files(folder, state.files)
        where = state.description(recording.operations)
        what = f"{recording.kind} {recording.durability} '{recording.script}': {verdict}"
        # Verifying changes a store: do it to a copy.
        copy = folder.with_suffix(".copy")
        url = recording.url(copy)
        verify = [self.harness.worker, "verify", url, recording.script, state.allowed]
        command = f"rm -rf {copy}; cp -r {folder} {copy}; {command_line(verify)}"
        return Violation(verdict, f"{what}\n    {where}", folder, command)

    def report(self, most=6):
        """Hands violations to the harness, one of each verdict first, and the number of others."""
        kinds = {violation.kind: violation for violation in reversed(self.violations)}
        first = list(kinds.values())[:most]
        first += [one for one in self.violations if one not in first][: most - len(first)]
        for violation in first:
            self.harness.fail(violation.what, violation.command)
        rest = len(self.violations) - len(first)
        if rest > 0:
            self.harness.fail(f"{rest} more states like these", first[0].command)


def find_violations(
    harness,
    kind,
    script,
    durability="full",
    promised=None,
    environment=None,
    preload=None,
    options=(),
    density=6,
    most=1,
    name=None,
):
    """Records a script and checks its crash states against a level's promise.

    Returns the violations, `most` of them at the most.
    """
    from recording import Recorder

    promised = promised or durability
    name = name or f"{kind}-{durability}-{'-'.join(script.split()[:2])}"
    recorder = Recorder(harness, environment, preload)
    recording = recorder.begin(name, kind, script, durability)
    recorder.run(recording, *options)
    check = StateCheck(harness, most)
    check.check(recording, density, harness.random(name), allows_prefix=promised == "relaxed")
    return check.violations
