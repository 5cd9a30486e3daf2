"""Files of an open store removed, replaced, truncated and moved, at every moment.

A worker saves, reads, checkpoints and closes, and is stopped at one of its system calls on the store. Then
something happens to one of the store's files, and the worker goes on; in half of the attempts
another one has the store open beside it, or opens it now. What either acknowledges from then on must be
found by whoever opens the path next, with all that nobody destroyed.
"""

import concurrent.futures
import dataclasses
import itertools
import os
import shutil
import signal
import threading

import bare
from accounts import Account, Violation, is_save
from harness import STORES, SUFFIXES
from talker import Talker, stopping
from tampering import TAMPERINGS, TARGETS, Tampering, Target
from tracing import Call, Tracer
from trials import Base
from worker import Verifier

WORKERS = 4
# So many moments of each part, tampering and company in CI; all of them before a release.
MOMENTS = 4
# What the worker does after it has opened the store.
STEPS = ("put 50", "blob 60 20000", "items", "put 51", "checkpoint", "put 52")
PATIENCE = 0.3


@dataclasses.dataclass(frozen=True)
class Point:
    """A tampering with a part of a store at a moment, with another worker beside or without."""

    kind: str
    call: Call
    part: Target
    tampering: Tampering
    has_company: bool

    def __str__(self):
        company = ", two workers" if self.has_company else ""
        return f"{self.kind}, the {self.part.name} {self.tampering.name} at {self.call}{company}"


class Attempt:
    """One point tried."""

    def __init__(self, bench, point):
        self.bench = bench
        self.point = point
        self.account = Account()
        self.folder = bench.folder
        self.trace = self.folder.with_suffix(".trace")
        self.path = point.part.path(self.folder, f"s.{SUFFIXES[point.kind]}")
        self.is_tampered = False
        # Whether nothing that was saved is gone by what was done.
        self.is_whole = not (point.tampering.destroys and point.part.holds_data)
        # Who has the store open.
        self.openers = set()
        # Whether the worker acknowledged something after the tampering, and so stands for it all.
        self.is_vouched = False
        self.story = []

    def run(self):
        """Returns whether the moment came and the part was there."""
        url = self.bench.url
        self.trace.unlink(missing_ok=True)
        prefix = stopping(self.point.call.name, self.point.call.number, trace=self.trace)
        with Talker(self.bench.harness, url, prefix) as worker:
            with Talker(self.bench.harness, url) as company:
                if self.point.has_company and self.point.kind == "sqlite":
                    self.ask(company, "open")
                self.let_work(worker)
                if not self.is_tampered:
                    return False
                if self.point.has_company:
                    self.keep_company(worker, company)
                if self.point.tampering.undo:
                    self.take_back(worker)
                if worker in self.openers:
                    self.ask(worker, "close")
        self.judge()
        return True

    def let_work(self, worker):
        """Has the worker do its steps; tampers where it stops."""
        was_stopped = False
        for step in ("open", *STEPS, "close"):
            if step != "open" and worker not in self.openers:
                break
            was_tampered = self.is_tampered
            request = self.request(step)
            worker.send(request)
            response = worker.response() if was_stopped else worker.response_or_stop(self.trace)
            if response == "STOPPED":
                was_stopped = True
                self.tamper(worker, step)
                response = worker.response()
            self.hear(worker, request, response)
            if is_save(step):
                self.note(worker, step, response, is_during=self.is_tampered != was_tampered)
            if self.is_tampered and (self.point.has_company or self.point.tampering.undo):
                break

    def request(self, step):
        return f"do {self.account.next} {step}" if is_save(step) else step

    def save(self, who, step, is_own=True):
        """Saves something; `is_own` says of the worker whose files were tampered with."""
        if who in self.openers:
            response = self.ask(who, self.request(step))
            self.note(who, step, response, is_own=is_own)

    def note(self, who, step, response, is_own=True, is_during=False):
        """A response to a save."""
        if response.startswith("ACK"):
            is_after = self.is_tampered and not is_during
            # A copy that was made before a save does not have it.
            self.account.note(step, not is_during, is_after and self.concerns(step))
            # Whoever opened the store before it was tampered with has seen all of it.
            self.is_vouched |= is_own and is_after and self.point.call.said > 0
        elif response == "GONE":
            self.account.note(step, is_certain=False, is_claimed=False)
        elif self.is_tampered:
            if response.endswith("outcomeUnknown"):
                self.account.note(step, is_certain=False, is_claimed=False)
            self.ask(who, "drop")

    def concerns(self, step):
        """Whether a step writes into the part that was tampered with."""
        return self.point.part.name != "folder of values" or step.startswith("blob")

    def tamper(self, worker, step):
        if self.path.exists():
            self.point.tampering.act(self.path)
            self.is_tampered = True
            self.story.append(f"[{self.point.tampering.name}]")
            # What is on its way from one file to another is in no copy of either.
            is_moving = step in ("open", "checkpoint", "close")
            self.is_whole &= not is_moving or bool(self.point.tampering.undo)
        os.kill(worker.worker, signal.SIGCONT)

    def keep_company(self, worker, company):
        """Both go on in turns."""
        if self.point.kind == "json":
            self.ask(company, "open")
        self.save(company, "put 70", is_own=False)
        self.save(worker, "blob 71 20000")
        self.save(company, "blob 72 20000", is_own=False)
        self.save(worker, "put 73")
        if company in self.openers:
            self.ask(company, "close")
        self.save(worker, "put 74")

    def take_back(self, worker):
        """Brings back what was moved, and does the save that was refused meanwhile."""
        step, response = "blob 80 20000", ""
        if worker in self.openers:
            request = self.request(step)
            response = self.ask(worker, request)
        if self.path.exists():
            # An opening meanwhile has made another.
            self.is_whole = not self.point.part.holds_data
        else:
            self.point.tampering.undo(self.path)
            self.story.append("[brought back]")
        if response.startswith("NAK"):
            response = self.ask(worker, f"again {step}")
        if response:
            self.note(worker, step, response)

    def ask(self, who, request):
        who.send(request)
        return self.hear(who, request, who.response())

    def hear(self, who, request, response):
        if request == "open" and response == "ACK":
            self.openers.add(who)
        if request == "close":
            self.openers.discard(who)
        self.story.append(f"{request}: {response}")
        if response == "GONE" and self.point.part.is_mapped and self.point.tampering.shortens:
            self.openers.discard(who)
        elif response in ("SILENT", "GONE"):
            raise Violation(f"{request} results in {response}")
        if response.startswith("NAK") and not response[4].islower():
            raise Violation(f"{request} ends with an error that is none of a store's: {response}")
        return response

    def judge(self):
        """Looks for what was acknowledged, from another process."""
        harness = self.bench.harness
        if self.account.items:
            with Talker(harness, self.bench.url) as reader:
                opened = self.ask(reader, "open")
                if opened != "ACK":
                    raise Violation(f"acknowledged saves cannot be opened: {opened}")
                for item, count in self.account.items.items():
                    found = self.ask(reader, f"find {item}")
                    if found.split()[1:2] != [str(count)]:
                        raise Violation(f"item {item} of step {count} is lost: {found}")
        is_vouched = self.is_vouched and self.point.part.name != "folder of values"
        verdict = self.account.verdict(self.bench.verifier, self.bench.url)
        if verdict.startswith(("TRAPPED", "HUNG")):
            raise Violation(verdict)
        if (self.is_whole or is_vouched) and not verdict.startswith("OK"):
            raise Violation(verdict)


class Bench:
    """Where points are tried, one after the other."""

    def __init__(self, harness, number):
        self.harness = harness
        self.folder = harness.folder(f"bench-{number}")
        self.verifier = Verifier(harness)
        self.kind = None

    @property
    def url(self):
        return self.harness.url(self.kind, self.folder, timeout=PATIENCE)

    def attempt(self, point, base):
        self.kind = point.kind
        base.copy(self.folder)
        attempt = Attempt(self, point)
        try:
            return attempt.run()
        except Violation as violation:
            self.harness.fail(f"{point}: {violation}\n    {'; '.join(attempt.story)}",
                              f"Scripts/test-faults openfiles --seed {self.harness.seed}")
            return True
        finally:
            for path in self.folder.parent.glob(f"{self.folder.name}.aside*"):
                shutil.rmtree(path)


def calls(harness, kind, base):
    """The calls of a worker that does all steps without being disturbed."""
    folder = harness.folder(f"{kind}-traced")
    base.copy(folder)
    requests = folder.with_suffix(".requests")
    account = Account()
    lines = ["open"]
    for step in STEPS:
        lines.append(f"do {account.next} {step}" if is_save(step) else step)
        if is_save(step):
            account.note(step)
    requests.write_text("\n".join([*lines, "close", ""]))
    arguments = [harness.worker, "talk", harness.url(kind, folder, timeout=PATIENCE)]
    with requests.open() as stdin:
        found, run = Tracer(harness, folder).calls(arguments, stdin=stdin)
    if run.stdout.count(b"ACK") != len(lines) + 1:
        raise RuntimeError(f"not all is acknowledged: {run.stdout}")
    return found


def points(harness, kind, base):
    """All points of a kind of store, or so many of each sort."""
    found = calls(harness, kind, base)
    for part, tampering, has_company in itertools.product(TARGETS[kind], TAMPERINGS, (False, True)):
        if tampering.shortens and part.suffix is None:
            continue
        numbers = harness.random(kind, part.name, tampering.name, has_company)
        count = len(found) if harness.is_release else min(MOMENTS, len(found))
        for call in numbers.sample(found, count):
            yield Point(kind, call, part, tampering, has_company)


def control(harness):
    """Plain SQLite must lose saves by the same; otherwise nothing is tried here."""
    path = harness.folder("control") / "s.db"
    with bare.BareTalker(harness, str(path)) as owner:
        for request in ("open", "put 1"):
            owner.ask(request)
        path.with_name("s.db-wal").unlink()
        responses = [owner.ask(f"put {number}") for number in range(2, 12)]
        owner.ask("leave")
    lost = responses.count("ACK") - len(bare.counts(path) - {1})
    harness.count("control: saves that plain SQLite loses", lost, 10)


def run(harness):
    if not shutil.which("strace"):
        harness.skip("files tampered with", "strace is not there")
        return
    control(harness)
    own, numbers = threading.local(), itertools.count()
    benches = []

    def attempt(pair):
        if not hasattr(own, "bench"):
            own.bench = Bench(harness, next(numbers))
            benches.append(own.bench)
        return own.bench.attempt(*pair)

    for kind in STORES:
        base = Base.closed(harness, kind)
        pairs = [(point, base) for point in points(harness, kind, base)]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as executor:
            done = sum(executor.map(attempt, pairs))
        harness.count(f"{kind}: files tampered with under a worker", done, len(pairs) // 3)
    for bench in benches:
        bench.verifier.stop()
