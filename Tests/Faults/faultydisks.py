"""Saves on a disk that refuses writes, for good or for a moment.

The kernel reports a write that failed to one `fsync` and forgets it: the next one succeeds while
the data is gone. So what the worker says while and after the disk is at fault is held against
what a new mount of the disk shows.
"""

import contextlib
import subprocess
import time

import mounts
from harness import STORES
from talker import Talker
from worker import Verifier, command_line, read_outcome, run_arguments

ROUNDS = 40
RELEASE_ROUNDS = 1_000
# How often a store is closed on a disk that is at fault just then.
CLOSINGS = 6
RELEASE_CLOSINGS = 100
# Rounds on one store, whose steps are all done again in memory by each verification.
ROUNDS_OF_A_STORE = 10
# Seconds that a worker saves before the disk is at fault, that it is, and after it.
BEFORE, DURING, AFTER = 0.1, 0.1, 0.1


class FaultyDisk:
    """A disk in the memory of a server that refuses writes while a file is there."""

    def __init__(self, folder):
        self.folder = folder
        self.disk = folder / "served" / "disk"
        self.flag = folder / "at-fault"
        self.mount_point = folder / "mounted"
        self.server = None
        self.loop = None

    def __enter__(self):
        self.disk.parent.mkdir(parents=True)
        faults = ["error-pwrite-rate=100%", f"error-file={self.flag}", "error=EIO"]
        server = ["nbdkit", "--exit-with-parent", "--filter=error", "memory", "96M", *faults]
        self.server = subprocess.Popen(
            ["nbdfuse", self.disk, "[", *server, "]"], stderr=subprocess.DEVNULL
        )
        patience = time.monotonic() + 10
        while not self.disk.exists():
            if time.monotonic() > patience or self.server.poll() is not None:
                raise OSError("nbdfuse does not serve")
            time.sleep(0.01)
        mounts.call("mkfs.ext4", "-q", "-F", self.disk)
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()

    def set_at_fault(self, is_at_fault):
        if is_at_fault:
            self.flag.touch()
        else:
            self.flag.unlink(missing_ok=True)

    @contextlib.contextmanager
    def mounted(self):
        """Mounts it, and takes it away while it is still at fault: nothing is written late."""
        loop = mounts.call("losetup", "--direct-io=on", "--show", "-f", self.disk)
        try:
            with mounts.mounted(self.mount_point, loop):
                yield
        finally:
            mounts.call("losetup", "-d", loop)
            self.set_at_fault(False)


class Chain:
    """One store on a disk that is at fault again and again."""

    def __init__(self, harness, kind, number, disk, verifier):
        self.harness = harness
        self.kind = kind
        self.random = harness.random(kind, number)
        self.disk = disk
        self.verifier = verifier
        self.folder = disk.mount_point / f"{kind}-{number}"
        self.url = harness.url(kind, self.folder, timeout=0.05)
        self.script = f"auto {self.random.randrange(1, 1 << 40)}"
        self.state = 0
        self.acknowledgements = self.refusals = 0

    def round(self, is_for_good):
        """Saves on a disk that is at fault after a while.

        Returns whether nothing was wrong.
        """
        after = "stop" if is_for_good else "retry"
        arguments = run_arguments(
            self.harness, self.url, self.script, "--from", self.state + 1, "--after-failure", after
        )
        with self.disk.mounted():
            self.folder.mkdir(exist_ok=True)
            outcome = read_outcome(self._save(arguments, is_for_good), before=self.state)
            self.disk.set_at_fault(True)
        with self.disk.mounted():
            verdict = self.verifier.verdict(self.url, self.script, outcome.allowed_text)
            self.verifier.stop()
        self.acknowledgements += outcome.acknowledgements
        self.refusals += len(outcome.refusals)
        if not verdict.startswith("OK "):
            what = f"{self.kind}, a disk at fault: {verdict}, allowed {outcome.allowed_text}"
            again = f"Scripts/test-faults faultydisks --seed {self.harness.seed}"
            self.harness.fail(what, f"{again}  # {command_line(arguments)}")
            return False
        self.state = int(verdict.split()[1])
        return True

    def _save(self, arguments, is_for_good):
        process = subprocess.Popen(
            arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=self.harness.environment,
        )
        output = process.stdout.readline()
        time.sleep(self.random.random() * BEFORE)
        self.disk.set_at_fault(True)
        time.sleep(self.random.random() * DURING)
        if not is_for_good:
            self.disk.set_at_fault(False)
            time.sleep(self.random.random() * AFTER)
        process.kill()
        return output + process.communicate()[0]


def close_at_fault(harness, kind, number, disk, verifier):
    """Closes a store while the disk refuses writes, which checkpoints what it has aside, and goes on.

    What a store then writes once more goes to pages that the system holds for written. On ext4 they
    are not, where the file had grown for them (Linux 6.15 and newer): they are zeros when the disk
    is mounted again, though it was at fault no more and every sync succeeded.

    Returns whether nothing was wrong.
    """
    url = harness.url(kind, disk.mount_point / f"closed-{kind}-{number}")
    count = harness.random("closings", kind, number).randrange(20, 800)
    steps = [f"batch 1 {count}", "put 3", f"batch {count + 1} 40", "drop 5"]
    asked = []
    with disk.mounted():
        (disk.mount_point / f"closed-{kind}-{number}").mkdir()
        with Talker(harness, url) as talker:
            asked = ["open", f"do 1 {steps[0]}", "close", "open", f"do 2 {steps[1]}", "close", "open"]
            asked += [f"do 3 {steps[2]}", f"do 4 {steps[3]}", "close"]
            responses = []
            for at, line in enumerate(asked):
                disk.set_at_fault(at == 2)
                responses.append(talker.ask(line))
        disk.set_at_fault(True)
    with disk.mounted():
        verdict = verifier.verdict(url, ";".join(steps), str(len(steps)))
        verifier.stop()
    if verdict.startswith("OK ") and responses == ["ACK"] * len(asked):
        return True
    what = f"{kind}, closed on a disk at fault: {verdict}, responses {responses}"
    harness.fail(what, f"Scripts/test-faults faultydisks --seed {harness.seed}")
    return False


def run(harness):
    rounds = RELEASE_ROUNDS if harness.is_release else ROUNDS
    closings = RELEASE_CLOSINGS if harness.is_release else CLOSINGS
    done = acknowledgements = refusals = 0
    with FaultyDisk(harness.folder("disk")) as disk, Verifier(harness) as verifier:
        for number in range(rounds // ROUNDS_OF_A_STORE):
            chain = Chain(harness, STORES[number % len(STORES)], number, disk, verifier)
            for round in range(ROUNDS_OF_A_STORE):
                if not chain.round(is_for_good=round % 2 == 0):
                    break
                done += 1
            acknowledgements += chain.acknowledgements
            refusals += chain.refusals
        closed = sum(
            close_at_fault(harness, STORES[number % len(STORES)], number, disk, verifier)
            for number in range(closings)
        )
    harness.count("rounds on a disk at fault", done, rounds)
    harness.count("acknowledged saves in them", acknowledgements)
    harness.count("refused saves in them", refusals, rounds // 4)
    harness.count("closings on a disk at fault", closed, closings)
