"""Power cuts on real file systems while stores save (RELIABILITY.md, F7)."""

import collections
import dataclasses
import pathlib
import shutil
import subprocess
import threading
import time

import groupcuts
from harness import STORES, SUFFIXES, store_url
from images import FILE_SYSTEMS, Image, ImageError, objection
from worker import Verifier, command_line, read_outcome, run_arguments

# After so many cuts a store is made anew, so that its making is cut as well.
CUTS_OF_A_STORE = 12
LONGEST_WAIT = 0.2
# How long to wait for the stores to open; a busy machine takes its time.
PATIENCE = 5


@dataclasses.dataclass
class Store:
    """A store on an image that lives through one cut after the other."""

    kind: str
    durability: str
    root: pathlib.Path
    seed: int = 0
    cuts: int = 0
    # The state in which it was found after the last cut.
    state: int = 0

    @property
    def script(self):
        return f"auto {self.seed}"

    @property
    def folder(self):
        """Another one for each store: an old one may come back when power is lost."""
        return self.root / f"{self.kind}-{self.durability}-{self.seed}"

    def url(self, folder=None, **options):
        path = f"{folder or self.folder}/s.{SUFFIXES[self.kind]}"
        return store_url(self.kind, path, **options)

    def allowed(self, before, outcome):
        """The states that are allowed by what was said before a cut, and in all.

        A sync that is under way at the cut may report success: the file system goes on responding
        for a moment, as no machine does that has no power. So what was acknowledged after the
        cut was begun may be there or not.
        """
        first = before.acknowledged if self.durability == "full" else self.state
        return f"{first}-{max(outcome.allowed)}"


def run(harness):
    reason = objection()
    if reason:
        return harness.skip("power cuts", reason)
    goal = 5_000 if harness.is_release else 200
    series = [Series(harness, kind, goal // len(FILE_SYSTEMS)) for kind in FILE_SYSTEMS]
    threads = [threading.Thread(target=one.run) for one in series]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = collections.Counter()
    for one in series:
        total.update(one.counts)
    for durability in ("full", "relaxed"):
        name = f"stores with durability {durability} found in order after a cut"
        harness.count(name, total[durability])
    # The cuts do cost what was not synced: else they would prove nothing.
    harness.count("stores with durability relaxed that lost saves", total["lost"], 1)
    harness.count("saves acknowledged before the cuts", total["acknowledged"])
    harness.count("power cuts on ext4 and xfs, nothing acknowledged lost", total["cuts"], goal)
    groupcuts.run(harness)


class Series:
    """Cuts of one file system, one after the other."""

    def __init__(self, harness, kind, goal):
        self.harness = harness
        self.kind = kind
        self.goal = goal
        self.numbers = harness.random(kind)
        self.counts = collections.Counter()
        self.stores = []
        self.verifier = Verifier(harness)

    def run(self):
        try:
            self.cut_again_and_again()
        except ImageError as error:
            self.harness.fail(str(error), "Scripts/test-faults powercuts")

    def cut_again_and_again(self):
        with Image(self.harness, self.kind) as image, self.verifier:
            self.stores = [
                Store(kind, durability, image.root)
                for durability in ("full", "relaxed")
                for kind in STORES
            ]
            while self.counts["cuts"] < self.goal and not self.has_failed:
                self.cut(image)
            # Nothing of the image may be in use at its end.
            self.verifier.stop()
            image.unmount()

    @property
    def has_failed(self):
        return self.counts["failed"] >= 5

    def cut(self, image):
        """One cut, with both stores saving."""
        durability = "relaxed" if self.counts["cuts"] % 4 == 3 else "full"
        stores = [store for store in self.stores if store.durability == durability]
        for store in stores:
            self.prepare(store)
        runs = [self.start(store) for store in stores]
        self.wait(stores)
        before = [self.outcome(store) for store in stores]
        image.cut_power(flushes_log=self.numbers.random() < 0.3)
        allowed = [self.end(*each) for each in zip(stores, runs, before)]
        acknowledged = [outcome.acknowledged for outcome in before]
        image.unmount()
        image.mount()
        self.counts["cuts"] += 1
        for each in zip(stores, allowed, acknowledged):
            self.verify(*each)

    def wait(self, stores):
        """Lets the stores save for a while, or cuts them off at their opening."""
        deadline = time.monotonic() + PATIENCE
        is_opening = self.numbers.random() < 0.2
        while not is_opening and time.monotonic() < deadline:
            if all(self.output(store).stat().st_size for store in stores):
                break
            time.sleep(0.005)
        time.sleep(self.numbers.uniform(0, LONGEST_WAIT))

    def prepare(self, store):
        """Makes room for a new store now and then."""
        if store.seed and store.cuts < CUTS_OF_A_STORE:
            return
        shutil.rmtree(store.folder, ignore_errors=True)
        store.seed, store.cuts, store.state = self.numbers.randint(1, 1_000_000), 0, 0

    def start(self, store):
        url = store.url(durability=store.durability)
        options = ("--from", store.state + 1, "--after-failure", "stop")
        output = open(self.output(store), "wb")
        with output:
            return subprocess.Popen(
                run_arguments(self.harness, url, store.script, *options),
                stdout=output,
                stderr=subprocess.DEVNULL,
                env=self.harness.environment,
            )

    def output(self, store):
        """Where a worker writes what it says: not on the image."""
        name = f"{self.kind}-{store.kind}-{store.durability}.txt"
        return self.harness.scratch / self.harness.part / name

    def outcome(self, store):
        return read_outcome(self.output(store).read_bytes(), before=store.state)

    def end(self, store, process, before):
        """Ends a worker that has nothing to write to any more; the states that are allowed."""
        process.kill()
        process.wait()
        self.counts["acknowledged"] += before.acknowledgements
        return store.allowed(before, self.outcome(store))

    def verify(self, store, allowed, acknowledged):
        """Looks at what a cut left, of which a copy is kept when it is wrong."""
        store.cuts += 1
        number = self.counts["cuts"]
        copy = self.harness.folder(f"{self.kind}-{number}-{store.kind}-{store.durability}")
        if store.folder.exists():
            shutil.copytree(store.folder, copy, dirs_exist_ok=True)
        verdict = self.verifier.verdict(store.url(), store.script, allowed)
        word, _, rest = verdict.partition(" ")
        if word == "OK":
            self.counts["lost"] += int(rest) < acknowledged
            store.state = int(rest)
            self.counts[store.durability] += 1
            shutil.rmtree(copy)
            return
        self.counts["failed"] += 1
        verify = [self.harness.worker, "verify", store.url(copy), store.script, allowed]
        self.harness.fail(
            f"{self.kind}, {store.kind} {store.durability}: {verdict}",
            command_line(verify),
        )
        # The next store is another one.
        store.seed = 0
