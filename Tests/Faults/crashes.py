"""Every state in which a disk may be after a loss of power (RELIABILITY.md, F6, F11 and F24).

What the worker does to its files is recorded once; the states are made from that, and the worker
says what it finds in each.
"""

import dataclasses
import shutil

import controls
from harness import KINDS, STORES, SUFFIXES
from operations import Said
from recording import Recorder
from statecheck import StateCheck
from worker import Verifier

# Each operation of a store, in scripts of the worker.
SCRIPTS = {
    "creation": "put 1;put 2;drop 1",
    "saves": "put 1;put 2;put 1;drop 2;batch 10 30;drop 11;rollback 3;fetch;clear;put 3",
    "links": "batch 1 4;link 1 1;link 2 1;turn 1;link 3 2;link 1 2;unlink 2;drop 3;clear;link 1 1",
    "values": "blob 1 20000;blob 2 70000;blob 1 30000;blob 2 100;drop 1;blob 3 17000;clear;put 1",
    "folding": "put 1;compact;put 2;compact;batch 1 30;compact;drop 3;put 4;compact;clear;compact",
    "reopening": "put 1;reopen;put 2;blob 3 20000;reopen;drop 3;reopen;reopen;batch 5 9;reopen",
    "widening": "batch 1 5;blob 2 20000;link 1 1;widen;put 2;drop 1;reopen;blob 2 30000",
}
# Enough for SQLite's log to be checkpointed into its file in the middle of the saves.
LONG = ";".join(f"blob {item} 16000" for item in range(1, 241))
KILLS = ("pwrite64", "fdatasync", "fsync", "renameat", "unlinkat")


@dataclasses.dataclass
class Plan:
    """How much is done."""

    goal: int
    random_scripts: int
    steps: int
    densities: dict
    killed: int
    recoveries: int


def plan(harness):
    if harness.is_release:
        return Plan(500_000, 16, 120, {"json": 300, "archive": 300, "sqlite": 80}, 100, 400)
    return Plan(10_000, 4, 50, {"json": 60, "archive": 60, "sqlite": 4}, 5, 12)


def run(harness):
    work = plan(harness)
    full = StateCheck(harness)
    for kind in KINDS:
        for recording, density in recordings(harness, kind, work):
            full.check(recording, density, harness.random(recording.folder.name), base_chance=0.02)
        for recording in recoveries(harness, full, kind, work):
            density = 4 * work.densities[kind]
            full.check(recording, density, harness.random(recording.folder.name))
    full.report()
    harness.count("crash states, nothing acknowledged lost", len(full.contents), work.goal)
    relaxed(harness, work)
    unsafe(harness)
    controls.run(harness)


def recordings(harness, kind, work):
    """Recorded runs of a store, with how many states of each moment are to be checked."""
    recorder, density = Recorder(harness), work.densities[kind]
    for name, script in SCRIPTS.items():
        # The store makes the folders that it lies in.
        path = f"new/folders/s.{SUFFIXES[kind]}" if name == "creation" else None
        recording = recorder.begin(f"{kind}-{name}", kind, script, path=path)
        recorder.run(recording)
        yield recording, density
    for number in range(work.random_scripts):
        script = f"auto {harness.seed * 1000 + number}"
        recording = recorder.begin(f"{kind}-auto-{number}", kind, script)
        recorder.run(recording, "--count", work.steps)
        yield recording, density
    if kind == "sqlite":
        recording = recorder.begin(f"{kind}-long", kind, LONG)
        recorder.run(recording)
        yield recording, density / 400
    for number in range(work.killed):
        yield killed(harness, recorder, kind, number), density


def killed(harness, recorder, kind, number):
    """A worker that is killed, and one that goes on, before the disk has all of the first one."""
    numbers = harness.random("killed", kind, number)
    script = f"auto {numbers.randint(1, 1_000_000)}"
    recording = recorder.begin(f"{kind}-killed-{number}", kind, script)
    call = KILLS[number % len(KILLS)]
    outcome = recorder.run(recording, "--count", 12, kill=(call, numbers.randint(1, 12)))
    recording.first = len(recording.operations)
    state = state_of(harness, recording, outcome.allowed_text)
    if state is not None:
        recorder.run(recording, "--from", state + 1, "--count", 3)
        opened = recording.operations.index(Said("OPEN"), recording.first)
        # What was read stays, though nobody acknowledged it: a program may have acted on it.
        recording.operations.insert(opened + 1, Said(f"FOUND {state}"))
    return recording


def state_of(harness, recording, allowed):
    """The state of a store that was left, found out on a copy."""
    copy = harness.folder(f"{recording.folder.name}.copy")
    shutil.copytree(recording.folder, copy, dirs_exist_ok=True)
    with Verifier(harness) as verifier:
        verdict = verifier.verdict(recording.url(copy), recording.script, allowed)
    shutil.rmtree(copy)
    word, _, state = verdict.partition(" ")
    if word != "OK":
        command = verifier.command(recording.url(recording.folder), recording.script, allowed)
        harness.fail(f"{recording.kind} after a kill: {verdict}", command)
    return int(state) if word == "OK" else None


def recoveries(harness, check, kind, work):
    """Runs that open what a loss of power left, and go on: power may be lost again there."""
    recorder = Recorder(harness)
    bases = [base for base in check.bases if base[0].kind == kind]
    # In an order that does not depend on which verifier was faster.
    bases.sort(key=lambda base: (base[0].folder.name, base[1].model, base[1].position))
    chosen = harness.random("recoveries", kind).sample(bases, min(len(bases), work.recoveries))
    for number, (old, state, found) in enumerate(chosen):
        name = f"{kind}-recovery-{number}"
        recording = recorder.begin(name, kind, old.script, path=old.path, files=state.files)
        recording.allowed = (found,)
        recorder.run(recording, "--from", found + 1, "--count", 2)
        yield recording


def relaxed(harness, work):
    """With durability `relaxed` the last saves may be gone, and what is there is whole."""
    check = StateCheck(harness)
    for kind, recording in runs_at(harness, "relaxed", work):
        density = work.densities[kind] / 2
        numbers = harness.random(recording.folder.name)
        check.check(recording, density, numbers, allows_prefix=True)
    check.report()
    harness.count("crash states of durability relaxed, none torn", len(check.contents), 1_000)


def unsafe(harness):
    """With durability `none` nothing is promised: counts what is lost, as a warning to users."""
    for kind, recording in runs_at(harness, "none", plan(harness)):
        check = StateCheck(harness, most=1_000_000)
        numbers = harness.random(recording.folder.name)
        check.check(recording, 1, numbers, allows_prefix=True)
        whole, total = check.verdicts["OK"], sum(check.verdicts.values())
        harness.count(f"{kind} with durability none: {whole:,} whole of states", total)


def runs_at(harness, durability, work):
    for kind in STORES:
        for number in range(1 if durability == "none" else work.random_scripts):
            name, script = f"{kind}-{durability}-{number}", f"auto {harness.seed * 1000 + number}"
            recorder = Recorder(harness)
            recording = recorder.begin(name, kind, script, durability)
            recorder.run(recording, "--count", work.steps)
            yield kind, recording
