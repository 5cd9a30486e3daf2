"""Several processes at work on one store, killed and started again until all have saved enough."""

import dataclasses
import math
import os
import pathlib
import signal
import sqlite3
import subprocess
import time

import history_checks
from histories import CUT

PATIENCE = 60


@dataclasses.dataclass
class Plan:
    """What the processes of one run do."""

    kind: str
    processes: int
    # How often each process saves; nothing counts but the seconds where they are given.
    saves: int = 0
    seconds: int = 0
    # How many threads of each process do so, on one open store.
    threads: int = dataclasses.field(default=1, kw_only=True)
    # How many processes there are beside them that only read.
    readers: int = 0
    # Each process lives between half of these seconds and three halves; None for to its end.
    life: float = None
    # How many operations are done before a process closes the store.
    session: int = 200
    padding: int = 0
    # How many milliseconds a process waits after a failure, in a store that may be unreachable.
    pause: int = 0
    # What stands before the command of each process, and what its environment has more.
    prefix: tuple = ()
    environments: tuple = ()

    @property
    def lists(self):
        """Enough lists for each to stay short: four for each two hundred operations or 0.1 s."""
        return (self.seconds * 10 if self.seconds else self.saves // 100 + 2) * 4


class Member:
    """One of the processes, through all its lives."""

    def __init__(self, traffic, number):
        self.traffic = traffic
        self.number = number
        self.log = traffic.folder / f"process-{number}.log"
        self.errors = traffic.folder / f"process-{number}.errors"
        self.offset = 0
        self.next = 1
        self.saved = 0
        self.kills = 0
        self.pending = ""
        self.reads = 0
        self.has_ended = False
        self.deadline = None
        # When the seconds of the plan have passed.
        self.end = None
        self.process = None
        self.log.touch()

    def start(self):
        plan = self.traffic.plan
        self.end = self.end or time.monotonic() + plan.seconds
        # None are left for a process that begins after the end, which then ends at once.
        seconds = max(0, math.ceil(self.end - time.monotonic()))
        options = {"process": self.number, "saves": max(0, plan.saves - self.saved),
                   "seed": self.traffic.seed, "from": self.next, "lists": plan.lists,
                   "session": plan.session, "padding": plan.padding,
                   "seconds": seconds, "threads": plan.threads, "reader": int(self.is_reader), "pause": plan.pause}
        words = [f"--{name}={value}".split("=") for name, value in options.items()]
        environment = dict(self.traffic.harness.environment)
        if plan.environments:
            environment |= plan.environments[self.number % len(plan.environments)]
        with self.log.open("ab") as log, self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [*plan.prefix, self.traffic.harness.worker, "traffic", self.url,
                 *[part for pair in words for part in pair]],
                stdout=log, stderr=errors, stdin=subprocess.DEVNULL, env=environment)
        self.traffic.started.append(self.process.pid)
        self.deadline = None

    @property
    def is_reader(self):
        return self.number >= self.traffic.plan.processes

    @property
    def url(self):
        return self.traffic.url_of(self)

    def read(self):
        """Takes in what was logged since the last time; returns whether there was any."""
        with self.log.open() as log:
            log.seek(self.offset)
            text = log.read()
        self.offset += len(text)
        *lines, self.pending = (self.pending + text).split("\n")
        for line in lines:
            if not f"{line}\n".endswith(CUT):
                self.note(line.split())
        return bool(lines)

    def note(self, words):
        match words:
            case ["I", number, _, kind, *_]:
                self.next, self.kind = int(number) + 1, kind
            case ["O", *_]:
                is_read = self.kind in ("lists", "read", "sum")
                self.saved += not is_read
                self.reads += is_read
            case ["W", *_] if self.traffic.plan.life and not self.deadline:
                life = self.traffic.plan.life * (0.5 + self.traffic.numbers.random())
                self.deadline = time.monotonic() + life
            case ["E", _]:
                self.has_ended = True

    def look(self):
        """Kills the process when it is time; returns what ended it when it should not have."""
        code = self.process.poll()
        if code is None:
            if self.deadline and time.monotonic() > self.deadline:
                self.process.send_signal(signal.SIGKILL)
                self.process.wait()
                self.kills += 1
                # What it had written before it died.
                self.read()
                self.cut()
                self.start()
            return None
        self.read()
        if code == 0 and self.has_ended:
            return None
        return f"process {self.number} ended with {code}: {self.errors.read_text()[-500:]}"

    def logs(self):
        """The lines of each history that the process has, with their ends."""
        return [self.log.read_text().splitlines(keepends=True)]

    def cut(self):
        """Ends a line that a kill left without its end."""
        if self.pending:
            with self.log.open("a") as log:
                log.write(CUT)
            self.read()


class Traffic:
    """One run of a plan."""

    member = Member

    def __init__(self, harness, name, plan, seed):
        self.harness = harness
        self.name = name
        self.plan = plan
        self.seed = seed
        self.folder = harness.folder(name)
        self.store = self.folder / "store"
        self.store.mkdir()
        self.url = self.store_url()
        self.numbers = harness.random(name, seed)
        self.command = (f"Scripts/test-faults processes --seed {seed}"
                        f"  # {name}; logs in {self.folder}")
        self.started = []
        self.checkpoints = 0
        self.longest_log = 0

    def url_of(self, member):
        options = {"readonly": "yes"} if member.is_reader else {}
        return self.store_url(**options)

    def store_url(self, **options):
        """The URL of the store, which keeps its whole history."""
        return self.harness.url(self.plan.kind, self.store, keep="forever", **options)

    def fail(self, what):
        self.harness.fail(f"{self.name}: {what}", self.command)

    def run(self):
        """Runs to the end and judges it; returns the history, None when it came to none."""
        if not self.traffic("prepare", "--lists", self.plan.lists):
            return None
        everyone = self.plan.processes + self.plan.readers
        self.members = [self.member(self, number) for number in range(everyone)]
        try:
            for member in self.members:
                member.start()
            problem = self.watch()
        finally:
            for member in self.members:
                if member.process and member.process.poll() is None:
                    member.process.kill()
                    member.process.wait()
            self.remove_clocks()
        if problem:
            self.fail(problem)
        return self.judge()

    def remove_clocks(self):
        """Removes what libfaketime leaves in memory when its process is killed."""
        for process in self.started:
            for name in (f"faketime_shm_{process}", f"sem.faketime_sem_{process}"):
                pathlib.Path("/dev/shm", name).unlink(missing_ok=True)

    def traffic(self, *words):
        """Runs a worker that does one thing; returns its output, None when it failed."""
        result = self.harness.run([self.harness.worker, "traffic", self.url, *words], timeout=300)
        if result.returncode != 0:
            self.fail(f"{words[0]} ended with {result.returncode}: {result.stderr[-500:]}")
            return None
        return result.stdout.decode().splitlines() or ["nothing"]

    def watch(self):
        """Waits until all are done; returns why that will not be."""
        last = time.monotonic()
        log = None
        while not all(member.has_ended for member in self.members):
            for member in self.members:
                if member.has_ended:
                    continue
                if member.read():
                    last = time.monotonic()
                problem = member.look()
                if problem:
                    return problem
            log = self.watch_log(log)
            if time.monotonic() - last > PATIENCE:
                return f"nothing happened for {PATIENCE} s"
            time.sleep(0.002)
        for member in self.members:
            if member.process.wait(PATIENCE) != 0:
                return member.look()
        return None

    def watch_log(self, before):
        """Counts how often the write-ahead log was begun anew: its first salt rises by one then."""
        try:
            with open(f"{self.store}/s.db-wal", "rb") as log:
                header = log.read(32)
                self.longest_log = max(self.longest_log, os.fstat(log.fileno()).st_size)
        except FileNotFoundError:
            return before
        if len(header) < 32:
            return before
        salt = int.from_bytes(header[16:20], "big")
        rise = salt - (before or salt)
        # A log that was removed begins with a random one.
        self.checkpoints += rise if 0 <= rise < 1_000 else 1
        return salt

    def judge(self):
        final = self.traffic("check", "--lists", self.plan.lists)
        if final is None:
            return None
        logs = [log for member in self.members for log in member.logs()]
        complaints, history = history_checks.judge(logs, final)
        for complaint in complaints[:5]:
            self.fail(complaint)
        self.look_at(history)
        return history

    def look_at(self, history):
        """What was thrown, how long responses took, and the files."""
        for code, count in history.codes.items():
            if code != "conflict":
                self.fail(f"{count} times {code}: {history.reasons[code]}")
        if history.longest_wait > 5:
            self.fail(f"a response took {history.longest_wait:.1f} s")
        self.look_at_files()

    def look_at_files(self):
        """What SQLite finds wrong, and what was left behind."""
        name = pathlib.Path(self.url.split("?")[0].split(":", 1)[1]).name
        known = {name, f"{name}.lock", f"{name}.files", f"{name}.journal"}
        left = sorted(set(os.listdir(self.store)) - known)
        if left:
            self.fail(f"left behind: {' '.join(left)}")
        if self.plan.kind != "sqlite":
            return
        database = sqlite3.connect(f"file:{self.store / name}?mode=ro", uri=True)
        for pragma, fine in (("integrity_check", [("ok",)]), ("foreign_key_check", [])):
            found = database.execute(f"PRAGMA {pragma}").fetchall()
            if found != fine:
                self.fail(f"{pragma} finds {found[:3]}")
        database.close()
