"""Single cases of two processes with one store, played step by step."""

import os
import pathlib
import shutil
import signal
import time

from harness import STORES
from talker import SYNCS, Talker, stopping, tracing
from worker import Verifier

# The cases by name; each is run on each store and returns what was wrong, or nothing.
CASES = {}


def case(function):
    CASES[function.__name__.replace("_", " ")] = function
    return function


class Stage:
    """What a case is played with: a store of its own, and whoever opens it."""

    def __init__(self, harness, verifier, kind, name):
        self.harness = harness
        self.verifier = verifier
        self.kind = kind
        self.folder = harness.folder(f"{name}-{kind}".replace(" ", "-"))
        self.path = harness.path(kind, self.folder)

    def url(self, **options):
        return self.harness.url(self.kind, self.folder, **options)

    def talker(self, prefix=(), **options):
        return Talker(self.harness, self.url(**options), prefix)

    def verify(self, script, allowed):
        """What is wrong with the store, or nothing."""
        verdict = self.verifier.verdict(self.url(), script, allowed)
        return None if verdict.startswith("OK") else verdict


class Mismatch(Exception):
    """A response differs from the expected one."""


def expect(what, found, *wanted):
    if found not in wanted:
        raise Mismatch(f"{what}: {found} instead of {' or '.join(map(str, wanted))}")


def run(harness):
    if not shutil.which("strace"):
        harness.skip("cases of two processes", "strace is not there")
        return
    done = wanted = 0
    with Verifier(harness) as verifier:
        for name, play in CASES.items():
            for kind in STORES:
                wanted += 1
                try:
                    problem = play(Stage(harness, verifier, kind, name))
                except Mismatch as mismatch:
                    problem = str(mismatch)
                if problem:
                    harness.fail(f"{name} ({kind}): {problem}",
                                 f"Scripts/test-faults processes --seed {harness.seed}")
                done += not problem
    harness.count("cases of two processes", done, wanted)


def puts(count):
    return "; ".join(f"put {number}" for number in range(1, count + 1))


def make(stage):
    """Makes the store, which takes syncs of its own."""
    shutil.rmtree(stage.folder)
    stage.folder.mkdir()
    with stage.talker() as maker:
        expect("making", maker.ask("open"), "ACK")
        expect("closing", maker.ask("close"), "ACK")


def stop_in_save(holder, which):
    """Has the holder save until a signal stops it; returns the number of the step it was in."""
    expect("open", holder.ask("open"), "ACK")
    for step in range(1, 40):
        response = holder.ask(f"do {step} put {step}", timeout=0.5)
        if response == "SILENT" and holder.is_stopped:
            return step
        expect(f"step {step}", response, "ACK")
    raise Mismatch(f"no save came to sync {which}")


@case
def a_holder_that_is_stopped_and_killed(stage):
    """C8, C9: others wait no longer than they may, and go on at once when the holder dies."""
    for which in (1, 2, 3, 5):
        make(stage)
        with stage.talker(stopping(SYNCS, which)) as holder:
            step = stop_in_save(holder, which)
            with stage.talker(timeout=0.3) as hasty, stage.talker(timeout=20) as patient:
                began = time.monotonic()
                expect("the hasty one", hasty.ask("open"), "NAK storeBusy")
                if time.monotonic() - began > 1.3:
                    raise Mismatch(f"storeBusy after {time.monotonic() - began:.1f} s of 0.3")
                patient.send("open")
                expect("the patient one", patient.response(0.2), "SILENT")
                os.kill(holder.worker, signal.SIGKILL)
                expect("the patient one after the kill", patient.response(2), "ACK")
                patient.send("close")
                expect("closing", patient.response(), "ACK")
                expect("the hasty one after the kill", hasty.ask("open"), "ACK")
        problem = stage.verify(puts(step), f"{step - 1},{step}")
        if problem:
            return f"stopped at sync {which} in step {step}: {problem}"
    return None


@case
def a_holder_that_is_stopped_and_goes_on(stage):
    """C8: the holder's save is not harmed by others that gave up waiting."""
    make(stage)
    with stage.talker(stopping(SYNCS, 2)) as holder, stage.talker(timeout=0.1) as other:
        step = stop_in_save(holder, 2)
        expect("the other", other.ask("open"), "NAK storeBusy")
        os.kill(holder.worker, signal.SIGCONT)
        expect("the holder", holder.response(), "ACK")
        expect("closing", holder.ask("close"), "ACK")
        expect("the other", other.ask("open"), "ACK")
    return stage.verify(puts(step), str(step))


@case
def another_process_widens_the_schema(stage):
    """C11: the old schema writes nothing into the new one."""
    script = "put 1; widen; put 3"
    with stage.talker(timeout=0.1) as old, stage.talker(timeout=0.1) as new:
        expect("open", old.ask("open"), "ACK")
        expect("put", old.ask("do 1 put 1"), "ACK")
        if stage.kind == "json":
            # One process at a time: the other has to wait until the document is free.
            expect("widen beside another", new.ask("open wide"), "NAK storeBusy")
            expect("close", old.ask("close"), "ACK")
            expect("widen", new.ask("open wide"), "ACK")
        else:
            expect("widen", new.ask("open wide"), "ACK")
            expect("put with the old schema", old.ask("do 2 put 2"), "NAK schemaMismatch")
            expect("put with the old schema again", old.ask("again put 2"), "NAK schemaMismatch")
        expect("put", new.ask("do 3 put 3"), "ACK")
    return stage.verify(script, "3")


@case
def the_file_is_renamed_and_comes_back(stage):
    """C12: no save goes to a file that is somewhere else; the same save works afterwards."""
    away = stage.folder / "away"
    with stage.talker() as worker:
        expect("open", worker.ask("open"), "ACK")
        expect("put", worker.ask("do 1 put 1"), "ACK")
        stage.path.rename(away)
        expect("put with the file away", worker.ask("do 2 put 2"), "NAK storeReplaced")
        away.rename(stage.path)
        expect("the same save with the file back", worker.ask("again put 2"), "ACK")
    return stage.verify(puts(2), "2")


@case
def the_file_is_deleted(stage):
    """C12: what is saved into a file without a name is not acknowledged."""
    with stage.talker() as worker:
        expect("open", worker.ask("open"), "ACK")
        expect("put", worker.ask("do 1 put 1"), "ACK")
        stage.path.unlink()
        for response in (worker.ask("do 2 put 2"), worker.ask("again put 2")):
            expect("put without a file", response, "NAK storeReplaced")
        expect("read without a file", worker.ask("items"), "ACK 1 1", "NAK storeReplaced")
    return None


@case
def the_file_is_replaced_by_a_copy(stage):
    """C12: two files with one content are two stores."""
    copy = stage.folder / "copy"
    with stage.talker() as worker:
        expect("open", worker.ask("open"), "ACK")
        expect("put", worker.ask("do 1 put 1"), "ACK")
        shutil.copy(stage.path, copy)
        copy.rename(stage.path)
        expect("put after the swap", worker.ask("do 2 put 2"), "NAK storeReplaced")
        stage.path.rename(stage.folder / "aside")
        stage.path.symlink_to(stage.folder / "aside")
        expect("put through a link", worker.ask("do 2 put 2"), "NAK storeReplaced")
    return None


@case
def a_child_inherits_the_store(stage):
    """C13: the child is refused, also when it ends in order, and the parent is unharmed."""
    with stage.talker() as parent:
        expect("open", parent.ask("open"), "ACK")
        expect("put", parent.ask("do 1 put 1"), "ACK")
        expect("the child", parent.ask("fork 2 put 2"), "CHILD NAK storeClosed")
        expect("the end of the child", parent.response(), "ACK 0")
        expect("the parent", parent.ask("do 2 put 2"), "ACK")
        expect("another child", parent.ask("fork 3 put 3"), "CHILD NAK storeClosed")
        expect("its end", parent.response(), "ACK 0")
        expect("the parent again", parent.ask("do 3 put 3"), "ACK")
        with stage.talker(timeout=0.1) as other:
            wanted = "NAK storeBusy" if stage.kind == "json" else "ACK"
            expect("another process", other.ask("open"), wanted)
    return stage.verify(puts(3), "3")


@case
def an_editor_changes_the_document(stage):
    """C14: what somebody else wrote since it was read is not written over."""
    if stage.kind != "json":
        return None
    with stage.talker() as worker:
        expect("open", worker.ask("open"), "ACK")
        expect("put", worker.ask("do 1 put 1"), "ACK")
        text = stage.path.read_bytes()
        with stage.path.open("ab") as file:
            file.write(b"\n")
        edited = stage.path.read_bytes()
        for response in (worker.ask("do 2 put 2"), worker.ask("again put 2"), worker.ask("close")):
            expect("what is asked for", response, "NAK storeReplaced", "ACK")
        if stage.path.read_bytes() != edited or text == edited:
            raise Mismatch("the edited document was written over")
    return None


def reads_of_opening(stage, log):
    """How often opening the store reads from its file and its log."""
    trace = stage.folder.with_suffix(".trace")
    with stage.talker(tracing("pread64", trace, stage.path, log)) as opener:
        expect("open to count", opener.ask("open", 5), "ACK")
        return len(trace.read_text().splitlines())


@case
def a_long_read_beside_many_saves(stage):
    """C18: a read that lasts 10,000 saves sees one state, and then the log is checkpointed."""
    if stage.kind != "sqlite":
        return None
    saves, batches = 10_000, 20
    log = pathlib.Path(f"{stage.path}-wal")
    with stage.talker() as writer:
        expect("open", writer.ask("open"), "ACK")
        for number in range(batches):
            expect("batch", writer.ask(f"do 1 batch {number * 100 + 1} 100"), "ACK")
        # Some reads later than those of an opening.
        number = reads_of_opening(stage, log) + 5
        with stage.talker(stopping("pread64", number, stage.path, log)) as reader:
            expect("open to read", reader.ask("open", 5), "ACK")
            reader.send("items")
            expect("a read that is stopped", reader.response(1), "SILENT")
            if not reader.is_stopped:
                raise Mismatch("the reader does nothing, but was not stopped")
            writer.send(*[f"do {number} put {number}" for number in range(2, saves + 2)])
            responses = [writer.response(60) for _ in range(saves)]
            if responses != ["ACK"] * saves:
                raise Mismatch(f"beside a long read {responses.count('ACK')} saves of {saves}")
            size = log.stat().st_size
            os.kill(reader.worker, signal.SIGCONT)
            expect("the read in the end", reader.response(60), "ACK 2000 2000")
        expect("a save after it", writer.ask(f"do {saves + 2} put 1"), "ACK")
        print(f"    a read that lasts {saves:,} saves: the log has {size / 1e6:.0f} MB,"
              f" {log.stat().st_size / 1e6:.1f} MB after it", flush=True)
        if log.stat().st_size > 5_000_000:
            raise Mismatch(f"the log is not checkpointed: {log.stat().st_size} bytes")
    return None
