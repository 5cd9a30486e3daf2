"""Power cuts while many threads save at once on one store, whose saves form groups.

Each save that was acknowledged before a cut is there, as a whole and in the order of the history; each
other one is there as a whole or not at all. The histories of all lives are judged together at the end.
"""

import dataclasses
import shutil
import threading
import time

import slow_disk
from grouped_traffic import THREADS, Threads
from harness import STORES
from images import FILE_SYSTEMS, Image, ImageError
from traffic import Plan, Traffic

# How long a sync takes, in microseconds, so that other saves come meanwhile and cuts meet it.
SYNC = 2_000
LONGEST_WAIT = 0.2
# How many bytes of a log say that its threads have saved a few times, and how long to wait for them; a
# busy machine takes its time.
AT_WORK = 4_000
PATIENCE = 5


@dataclasses.dataclass
class CutPlan(Plan):
    """Threads that save until the power is cut."""

    @property
    def lists(self):
        """Each is in use again after ten seconds."""
        return 400


class CutThreads(Threads):
    """A process whose threads begin another life after each cut."""

    def start(self):
        self.size_before = self.size
        super().start()

    @property
    def size(self):
        return self.log.stat().st_size

    @property
    def is_at_work(self):
        return self.size > self.size_before + AT_WORK

    def end_life(self, size):
        """Ends the process, whose log had a size before the cut.

        What it said later is true of the memory of a machine that has no power, as in `powercuts`.
        """
        self.process.kill()
        self.process.wait()
        text = self.log.read_text()
        end = text.rfind("\n", 0, size) + 1
        later = [line for line in text[end:].splitlines(keepends=True) if line.endswith("\n")]
        begun = [line for line in later if line.split()[1:2] == ["I"]]
        self.log.write_text(text[:end] + "".join(begun))
        self.read()


class CutTraffic(Traffic):
    """The threads of a process on a store of an image."""

    member = CutThreads

    def __init__(self, harness, kind, image, environment):
        plan = CutPlan(kind, 1, seconds=3_600, threads=THREADS, session=0, environments=(environment,))
        super().__init__(harness, f"groups-{image.kind}-{kind}", plan, harness.seed)
        # The store makes the folder, so that it is there after a cut.
        self.store = image.root / f"groups-{kind}"
        self.url = self.store_url()
        self.command = f"Scripts/test-faults powercuts --seed {harness.seed}  # {self.folder}"
        self.threads = self.member(self, 0)
        self.members = [self.threads]

    def prepare(self):
        return self.traffic("prepare", "--lists", self.plan.lists)

    def fail(self, what):
        shutil.copytree(self.store, self.folder / "store", dirs_exist_ok=True)
        super().fail(what)


class GroupSeries:
    """Cuts of one file system, one after the other, while all stores save."""

    def __init__(self, harness, kind, goal, environment):
        self.harness = harness
        self.kind = kind
        self.goal = goal
        self.environment = environment
        self.numbers = harness.random("groups", kind)
        self.cuts = 0
        self.stores = []

    def run(self):
        try:
            with Image(self.harness, self.kind, f"image-groups-{self.kind}") as image:
                self.cut_again_and_again(image)
                image.unmount()
        except ImageError as error:
            self.harness.fail(str(error), "Scripts/test-faults powercuts")

    def cut_again_and_again(self, image):
        self.stores = [CutTraffic(self.harness, kind, image, self.environment) for kind in STORES]
        if not all([store.prepare() for store in self.stores]):
            return
        is_well = True
        while is_well and self.cuts < self.goal:
            is_well = self.cut(image)
        for store in self.stores:
            store.judge()

    def cut(self, image):
        """One cut; returns whether all stores worked before it."""
        for store in self.stores:
            store.threads.start()
        self.wait()
        are_alive = [store.threads.process.poll() is None for store in self.stores]
        sizes = [store.threads.size for store in self.stores]
        image.cut_power(flushes_log=self.numbers.random() < 0.3)
        for store, size in zip(self.stores, sizes):
            store.threads.end_life(size)
        image.unmount()
        image.mount()
        self.cuts += 1
        return all(are_alive)

    def wait(self):
        """Lets the stores save for a while, or cuts them off at their opening."""
        deadline = time.monotonic() + PATIENCE
        is_opening = self.numbers.random() < 0.1
        while not is_opening and time.monotonic() < deadline:
            if all(store.threads.is_at_work for store in self.stores):
                break
            time.sleep(0.005)
        time.sleep(self.numbers.uniform(0, LONGEST_WAIT))


def run(harness):
    goal = 1_000 if harness.is_release else 32
    environment = slow_disk.environment(harness.folder("slow"), SYNC)
    series = [GroupSeries(harness, kind, goal // len(FILE_SYSTEMS), environment) for kind in FILE_SYSTEMS]
    threads = [threading.Thread(target=one.run) for one in series]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    saves = sum(store.threads.saved for one in series for store in one.stores)
    harness.count(f"saves of {THREADS} threads acknowledged before the cuts", saves, 1)
    harness.count("power cuts of groups, nothing acknowledged lost or torn", sum(one.cuts for one in series), goal)
