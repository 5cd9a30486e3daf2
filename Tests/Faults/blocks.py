"""Disks that write blocks in another order than they were given them (RELIABILITY.md, F8).

A worker saves on a file system whose disk notes every write and flush. The states of the disk are
then made from that: all that was flushed, and any part of what was written since.
"""

import concurrent.futures
import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import time

import block_log
from harness import STORES
from images import FILE_SYSTEMS, ImageError, MEGABYTES, objection
from worker import Verifier, command_line, read_outcome, run_arguments

TOOLS = ("nbdkit", "nbdfuse", "fusermount3")
SECONDS = 4
PATIENCE = 20
# With fewer records than these nothing was saved.
FEWEST = 50


@dataclasses.dataclass
class Moment:
    """How long the log was when a worker had said so much."""

    position: int
    acknowledged: int
    tried: int


def run(harness):
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    reason = objection() or (f"{', '.join(missing)} not installed" if missing else None)
    if reason:
        return harness.skip("disks that reorder blocks", reason)
    goal = 5_000 if harness.is_release else 200
    each = -(-goal // (len(STORES) * len(FILE_SYSTEMS)))
    with concurrent.futures.ThreadPoolExecutor() as threads:
        total = sum(threads.map(lambda kind: run_on(harness, kind, each), FILE_SYSTEMS))
    harness.count("states of reordered blocks, nothing acknowledged lost", total, goal)


def run_on(harness, file_system, count):
    """Checks so many states of each store on a file system; returns how many there were."""
    done = 0
    for kind in STORES:
        try:
            done += BlockRun(harness, file_system, kind).run(count)
        except ImageError as error:
            harness.fail(str(error), "Scripts/test-faults blocks")
    return done


class BlockRun:
    """One recorded run of a store on a file system, and the states made from it."""

    def __init__(self, harness, file_system, kind):
        self.harness = harness
        self.file_system = file_system
        self.kind = kind
        self.folder = harness.folder(f"{file_system}-{kind}")
        self.base, self.disk = self.folder / "base", self.folder / "disk"
        self.log, self.mounted = self.folder / "log", self.folder / "mounted"
        self.numbers = harness.random(file_system, kind)
        self.script = f"auto {self.numbers.randint(1, 1_000_000)}"
        self.mounted.mkdir()
        self.moments = []
        self.number = 0

    def run(self, count):
        with open(self.base, "wb") as file:
            file.truncate(MEGABYTES << 20)
        force = ["-F"] if self.file_system.startswith("ext") else []
        self._do(f"mkfs.{self.file_system}", "-q", *force, self.base)
        self._do("cp", "--sparse=always", self.base, self.disk)
        self.log.touch()
        with self.served() as served, self.mount(served):
            self.record()
        return self.check(count)

    def _do(self, *command):
        result = self.harness.run(command)
        if result.returncode != 0:
            raise ImageError(f"{command_line(command)}: {result.stderr.decode().strip()}")

    @contextlib.contextmanager
    def served(self):
        """The disk as a file that notes what is done to it."""
        mount_point = self.folder / "served"
        mount_point.mkdir()
        plugin = pathlib.Path(block_log.__file__)
        server = ["nbdkit", "--exit-with-parent", "python", plugin]
        server += [f"disk={self.disk}", f"log={self.log}"]
        command = list(map(str, ["nbdfuse", mount_point / "disk", "[", *server, "]"]))
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self.harness.environment,
        )
        try:
            deadline = time.monotonic() + PATIENCE
            while not (mount_point / "disk").exists():
                if time.monotonic() > deadline or process.poll() is not None:
                    raise ImageError("nbdfuse does not serve the disk")
                time.sleep(0.05)
            yield mount_point / "disk"
        finally:
            self.harness.run(["fusermount3", "-u", "-z", mount_point])
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()

    @contextlib.contextmanager
    def mount(self, image):
        self._do("mount", "-o", "loop", "-t", self.file_system, image, self.mounted)
        try:
            yield
        finally:
            for pause in (0, 0.05, 0.2, 1, 3):
                time.sleep(pause)
                if self.harness.run(["umount", self.mounted]).returncode == 0:
                    break
            else:
                self.harness.run(["umount", "--lazy", self.mounted])

    def record(self):
        """Lets a worker save, and notes what it had said at which length of the log."""
        url = self.harness.url(self.kind, self.mounted / "store")
        output = self.folder / "said"
        with open(output, "wb") as file:
            worker = subprocess.Popen(
                run_arguments(self.harness, url, self.script),
                stdout=file,
                stderr=subprocess.DEVNULL,
                env=self.harness.environment,
            )
        try:
            deadline = time.monotonic() + PATIENCE
            while not output.stat().st_size and time.monotonic() < deadline:
                self.note(output)
                time.sleep(0.002)
            deadline = time.monotonic() + SECONDS
            while time.monotonic() < deadline and worker.poll() is None:
                self.note(output)
                time.sleep(0.002)
        finally:
            worker.kill()
            worker.wait()
        self.note(output)

    def note(self, output):
        """What was acknowledged before the log was that long, and what was tried after."""
        acknowledged = read_outcome(output.read_bytes()).acknowledged
        position = self.log.stat().st_size
        tried = read_outcome(output.read_bytes()).tried
        self.moments.append(Moment(position, acknowledged, tried))

    def check(self, count):
        """Makes and verifies so many states, at moments all over the run."""
        records = list(block_log.read_log(self.log))
        end = self.moments[-1].position
        last = max((i for i, record in enumerate(records) if record[3] <= end), default=0)
        if last < FEWEST:
            raise ImageError(f"the disk of {self.kind} on {self.file_system} noted {last} records")
        # A moment that is drawn twice gets another part of what was not flushed.
        indices = sorted(self.numbers.choices(range(last + 1), k=count))
        kept, pending = 0, []
        disk = os.open(self.base, os.O_RDWR)
        with Verifier(self.harness) as verifier:
            for index in indices:
                for record in records[kept:index]:
                    pending.append(record)
                    if record[0] == block_log.FLUSH:
                        write(disk, pending)
                        pending = []
                kept = index
                self.verify(index, records[index - 1][3] if index else 0, pending, verifier)
        os.close(disk)
        return count

    def allowed(self, position):
        """The states that are allowed with a log of a length."""
        first = max((m.acknowledged for m in self.moments if m.position <= position), default=0)
        tried = min((m.tried for m in self.moments if m.position >= position), default=first)
        return f"{first}-{max(first, tried)}"

    def verify(self, index, position, pending, verifier):
        """One state: what was flushed, and a part of the rest."""
        state = self.folder / "state"
        self.number += 1
        self._do("cp", "--sparse=always", self.base, state)
        share = self.numbers.choice((0, 0.2, 0.5, 0.8, 1))
        disk = os.open(state, os.O_RDWR)
        write(disk, [record for record in pending if self.numbers.random() < share])
        os.close(disk)
        allowed = self.allowed(position)
        with self.mount(state):
            folder = self.mounted / "store"
            copy = self.harness.folder(f"{self.file_system}-{self.kind}-{self.number}")
            if folder.exists():
                shutil.copytree(folder, copy, dirs_exist_ok=True)
            url = self.harness.url(self.kind, folder)
            verdict = verifier.verdict(url, self.script, allowed)
        if verdict.startswith("OK"):
            shutil.rmtree(copy)
            return
        verify = [self.harness.worker, "verify", self.harness.url(self.kind, copy)]
        self.harness.fail(
            f"{self.kind} on {self.file_system}, block record {index}: {verdict}",
            command_line([*verify, self.script, allowed]),
        )


def write(disk, records):
    """Writes blocks to a disk."""
    for kind, offset, data, _ in records:
        if kind != block_log.FLUSH:
            os.pwrite(disk, data, offset)
