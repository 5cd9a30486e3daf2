"""Stores on a full disk: one that opens deletes something, and what that occupied is free again.

A SQLite store needs room for its log and the log's index, a JSON store for a line of its journal.
With none at all, a JSON store opens and can be read, and a SQLite store says what it needs.
"""

import os

import mounts
from worker import Verifier, command_line, read_outcome, run_arguments

# The pages of 4 KiB that Documentation/Durability.md promises to be enough.
ROOM = {"sqlite": 16, "json": 1}
SIZE = 1_000_000
BASE = f"blob 1 {SIZE};batch 10 20"
DELETION = "drop 1"
BEFORE = BASE.count(";") + 1
AFTER = BEFORE + 1


class FullDisk:
    """A store on a file system that it shares with a file which leaves room for so many pages."""

    def __init__(self, harness, kind, mount_point, pages):
        self.harness = harness
        self.name = f"{kind} with room for {pages} pages on {mount_point.name}"
        self.mount_point = mount_point
        store = mount_point / "store"
        store.mkdir()
        self.url = harness.url(kind, store)
        made = harness.run(run_arguments(harness, self.url, BASE))
        if made.returncode != 0:
            raise OSError(f"no store to begin with: {made.stderr.decode()}")
        self.filler = mounts.fill(mount_point, pages)

    @property
    def room(self):
        status = os.statvfs(self.mount_point)
        return status.f_bavail * status.f_frsize

    def delete(self):
        """Deletes the large value; what the worker said, and its complaints."""
        arguments = run_arguments(
            self.harness, self.url, f"{BASE};{DELETION}", "--from", AFTER, "--after-failure", "stop"
        )
        self.command = command_line(arguments)
        run = self.harness.run(arguments)
        return read_outcome(run.stdout, before=BEFORE), run.stderr.decode()

    def expect(self, condition, what):
        if not condition:
            self.harness.fail(f"{self.name}: {what}", self.command)

    def expect_state(self, verifier, state):
        verdict = verifier.verdict(self.url, f"{BASE};{DELETION}", str(state))
        self.expect(verdict.startswith("OK "), verdict)


def delete_with_room(disk, verifier):
    before = disk.room
    outcome, complaint = disk.delete()
    disk.expect(outcome.has_ended and not outcome.refusals, complaint or "nothing was deleted")
    disk.expect(disk.room - before >= SIZE, "the room of the deleted value is not free again")
    disk.expect_state(verifier, AFTER)


def delete_without_room(disk, verifier, kind):
    outcome, complaint = disk.delete()
    if kind == "sqlite":
        disk.expect(outcome.refusals == [(0, "io")], f"it is not refused: {complaint}")
        disk.expect("at least 64 KiB" in complaint, f"the error is no help: {complaint}")
    else:
        disk.expect(outcome.is_open, f"it does not open: {complaint}")
        disk.expect(outcome.refusals == [(AFTER, "notSaved")], f"it is not refused: {complaint}")
    disk.filler.unlink()
    disk.expect_state(verifier, BEFORE)
    outcome, complaint = disk.delete()
    disk.expect(outcome.has_ended and not outcome.refusals, complaint or "nothing was deleted")
    disk.expect_state(verifier, AFTER)


def run(harness):
    file_systems = {
        "tmpfs": lambda folder: mounts.in_memory(folder, size="4m"),
        "ext4": lambda folder: mounts.ext4(folder, 12 << 20),
    }
    count = 0
    for name, file_system in file_systems.items():
        for kind, room in ROOM.items():
            for pages in (room, 0):
                folder = harness.folder(f"{kind}-{pages}") / name
                try:
                    with file_system(folder) as mount_point, Verifier(harness) as verifier:
                        disk = FullDisk(harness, kind, mount_point, pages)
                        if pages:
                            delete_with_room(disk, verifier)
                        else:
                            delete_without_room(disk, verifier, kind)
                        verifier.stop()
                except OSError as error:
                    harness.skip(f"{kind} on {name}", str(error))
                    continue
                count += 1
    harness.count("stores on a full disk", count)
