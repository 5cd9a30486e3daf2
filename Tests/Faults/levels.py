"""Programs of several durability levels on one store, one after the other, and losses of power.

What a program with `full` has saved stays, whoever opens the store afterwards, with whichever level:
to read, to close it, or to be killed; with `relaxed` also to save, which is its own to lose, as a whole and
from the end. After saves with `none` the store may be damaged, until one with `full` is acknowledged.
"""

import controls
from crashes import state_of
from harness import STORES
from operations import Said
from recording import Recorder
from statecheck import StateCheck

LEVELS = ("full", "relaxed", "none")
# A careful program, and who comes after it: the sequences that are always tried.
FIXED = (
    ("full", "none"), ("full", "relaxed"), ("full", "none", "full"), ("full", "none", "none"),
    ("relaxed", "none", "full"), ("full", "relaxed", "none", "full", "none"),
)
# What a program does with the store; `None` opens and closes it.
WORK = ("put 1;put 2", "blob 3 20000;put 4", "fetch", None, "put 5;compact;put 6", "drop 1;batch 1 9")
# Where a program is killed: after its saves, at the latest.
KILLS = ("pwrite64", "fdatasync", "fsync", "renameat", "unlinkat")
RANDOM, RELEASE_RANDOM = 6, 150
DENSITY = {"json": 40, "sqlite": 6}
GOAL, RELEASE_GOAL = 2_000, 200_000


class Sequence:
    """Programs one after the other, as one recording."""

    def __init__(self, harness, kind, name, levels):
        self.harness = harness
        self.kind = kind
        self.levels = levels
        self.numbers = harness.random(kind, name)
        self.name = f"{kind}-{name}-{'-'.join(levels)}"

    def record(self):
        """Records all of them; None where one of them left something wrong already."""
        work = [self.numbers.choice(WORK) for _ in self.levels]
        # The first has something to lose.
        work[0] = "put 1;blob 2 20000;put 3"
        script = ";".join(filter(None, work))
        recorder = Recorder(self.harness)
        recording = recorder.begin(self.name, self.kind, script)
        state = 0
        for number, (level, steps) in enumerate(zip(self.levels, work)):
            count = len(steps.split(";")) if steps else 0
            recording.durability = level
            is_reading = steps in (None, "fetch")
            recording.operations.append(Said(f"LEVEL {'reading' if is_reading else level}"))
            kill = self.kill(number)
            outcome = recorder.run(
                recording, "--from", state + 1, "--count", count, kill=kill)
            state += count
            if kill:
                # One that was killed before its first save says nothing of those before.
                outcome.acknowledged = max(outcome.acknowledged, state - count)
                outcome.tried = max(outcome.tried, state - count)
                state = state_of(self.harness, recording, outcome.allowed_text)
                if state is None:
                    return None
        return recording

    def kill(self, number):
        if number == len(self.levels) - 1 or self.numbers.random() < 0.4:
            return None
        return self.numbers.choice(KILLS), self.numbers.randint(2, 14)


def sequences(harness):
    for kind in STORES:
        for number, levels in enumerate(FIXED):
            yield Sequence(harness, kind, f"fixed-{number}", levels)
        for number in range(RELEASE_RANDOM if harness.is_release else RANDOM):
            numbers = harness.random("levels", kind, number)
            levels = [numbers.choice(LEVELS) for _ in range(numbers.randint(2, 5))]
            yield Sequence(harness, kind, f"random-{number}", ("full", *levels))


def run(harness):
    check = StateCheck(harness)
    count = 0
    for sequence in sequences(harness):
        recording = sequence.record()
        if recording:
            count += 1
            density = DENSITY[sequence.kind]
            check.check(recording, density, sequence.numbers)
    check.report()
    harness.count("sequences of programs with several levels", count)
    harness.count("crash states of them, nothing of `full` lost", len(check.contents),
                  RELEASE_GOAL if harness.is_release else GOAL)
    control(harness)


def control(harness):
    """A program that is careful in name alone must be noticed."""
    library = controls.eatmydata()
    if not library:
        harness.skip("a control without any sync", "libeatmydata.so is not installed")
        return
    noticed = 0
    for kind in STORES:
        recorder = Recorder(harness, preload=library)
        recording = recorder.begin(f"{kind}-control", kind, "put 1;put 2;put 3")
        for level, first, count in (("full", 1, 2), ("none", 3, 1)):
            recording.durability = level
            recording.operations.append(Said(f"LEVEL {level}"))
            recorder.run(recording, "--from", first, "--count", count)
        check = StateCheck(harness, most=1)
        stops, harness.stops_at_failure = harness.stops_at_failure, False
        check.check(recording, DENSITY[kind], harness.random(kind, "control"))
        harness.stops_at_failure = stops
        noticed += bool(check.violations)
    harness.count("control: `full` without a sync is noticed", noticed, len(STORES))
