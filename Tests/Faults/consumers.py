"""Consumers of a store's history: killed beside writers, and in front of stores whose past is another.

A consumer keeps an index in a file of its own, with its token and the identifiers of all saves that it
has applied (`storeworker follow`). It judges each result: after a token of the store's own past exactly
the saves that follow, after any other one a refusal.
"""

import concurrent.futures
import shutil
import subprocess
import time

from harness import STORES

KILLS, RELEASE_KILLS = 150, 10_000
KILLS_OF_A_STORE = 25
LIFE = 0.15
PASTS, RELEASE_PASTS = 60, 3_000
WORKERS = 4
# What is done to a store that nobody has open, or whose only process was killed.
HARMS = ("backup", "exchange", "fork", "cut", "none")


class Consumer:
    """A store, the folder of its index, and what was said of it."""

    def __init__(self, harness, kind, number, name):
        self.harness = harness
        self.kind = kind
        self.random = harness.random(kind, name, number)
        self.folder = harness.folder(f"{name}-{kind}-{number}")
        self.store = self.folder / "store"
        self.store.mkdir()
        self.index = self.folder / "index.json"
        self.story = []
        self.is_wrong = False

    def arguments(self, *steps):
        """The command line of a worker that does some steps."""
        url = self.harness.url(self.kind, self.store)
        return [self.harness.worker, "follow", url, str(self.index), *steps]

    def seed(self):
        return self.random.randrange(1, 1 << 40)

    def do(self, *steps, kill=False):
        """Does steps in one process and judges what it says; returns its lines."""
        done = self.harness.run(self.arguments(*steps))
        self.story.append(" ".join(steps))
        lines = done.stdout.decode(errors="replace").splitlines()
        if done.returncode not in ((-9,) if kill else (0,)):
            self.fail(f"{steps} ended with {done.returncode}: {done.stderr[:300]!r}")
        self.judge(lines)
        return lines

    def judge(self, lines):
        for line in lines:
            if not line.startswith("OK "):
                self.fail(line)

    def fail(self, what):
        self.is_wrong = True
        again = f"Scripts/test-faults consumers --seed {self.harness.seed}"
        self.harness.fail(f"{self.kind}: {what}", f"{again}  # {'; '.join(self.story[-8:])}")

    # Pasts that are not the consumer's.

    def try_pasts(self, count):
        """Saves, reads, and harms the store between; returns how many results and refusals there were."""
        results = refusals = 0
        kept = None
        for number in range(count):
            if self.is_wrong:
                break
            self.save()
            if number == 0 or self.random.random() < 0.4:
                kept = self.keep()
            harm = self.random.choice(HARMS)
            # In the process that saves, or in another one.
            if self.random.random() < 0.5:
                self.do("read")
                self.save()
            else:
                self.save("read")
            self.harm(harm, kept)
            if self.random.random() < 0.7:
                lines = self.save("read")
            else:
                lines = self.do("read")
            results += sum(line == "OK read" for line in lines)
            refusals += sum("Token" in line or "token" in line for line in lines)
            self.do("compare")
        return results, refusals

    def save(self, *more):
        steps = (f"save:{self.seed()}:{self.random.randint(1, 4)}", *more)
        return self.do(*steps)

    def keep(self):
        """Copies the store's files, as a backup."""
        kept = self.folder / "kept"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(self.store, kept)
        return kept

    def put_back(self, kept):
        shutil.rmtree(self.store)
        shutil.copytree(kept, self.store)

    def harm(self, harm, kept):
        self.story.append(harm)
        if harm == "backup":
            self.put_back(kept)
        elif harm == "exchange":
            # Another store, with saves of its own under the same name.
            shutil.rmtree(self.store)
            self.store.mkdir()
            index, self.index = self.index, self.folder / "other.json"
            for _ in range(self.random.randint(1, 3)):
                self.save()
            self.index = index
        elif harm == "fork":
            # Both copies save on, and the consumer, which knows one, meets the other.
            other = self.keep()
            self.save("read")
            self.put_back(other)
            self.save()
        elif harm == "cut":
            self.cut()

    def cut(self):
        """Takes the end off the journal or log of a process that was killed."""
        self.do(f"save:{self.seed()}:3", "read", "die", kill=True)
        logs = [path for path in self.store.iterdir()
                if path.name.endswith("-wal") or ".journal" in path.name]
        for path in logs:
            size = path.stat().st_size
            if size:
                with open(path, "r+b") as file:
                    file.truncate(self.random.randrange(size // 2, size))

    # Kills.

    def kill_beside(self, count):
        """Kills a writer and a consumer again and again; index and store are equal afterwards."""
        kills = 0
        while kills < count and not self.is_wrong:
            processes = [self.start(*steps) for steps in self.plans()]
            time.sleep(self.random.random() * LIFE)
            self.random.shuffle(processes)
            for process in processes:
                process.kill()
                if len(processes) > 1:
                    time.sleep(self.random.random() * LIFE / 4)
            for process in processes:
                out, err = process.communicate()
                kills += process.returncode == -9
                # The last line may be cut off.
                self.judge(out.decode(errors="replace").split("\n")[:-1])
                if process.returncode != -9:
                    self.fail(f"a worker ended by itself: {err[:300]!r}")
        self.do("read", "compare")
        return kills

    def plans(self):
        # A JSON store is open in one process at a time.
        if self.kind == "json" or self.random.random() < 0.3:
            return [(f"both:{self.seed()}",)]
        return [(f"write:{self.seed()}",), ("follow",)]

    def start(self, *steps):
        self.story.append(" ".join(steps))
        return subprocess.Popen(self.arguments(*steps), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.harness.environment)


def run(harness):
    kills = RELEASE_KILLS if harness.is_release else KILLS
    pasts = RELEASE_PASTS if harness.is_release else PASTS
    for kind in STORES:
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as executor:
            done = executor.map(
                lambda number: Consumer(harness, kind, number, "kills").kill_beside(KILLS_OF_A_STORE),
                range(-(-kills // KILLS_OF_A_STORE)))
            harness.count(f"{kind}: kills of writers and consumers", sum(done), kills)
            rounds = 10
            found = list(executor.map(
                lambda number: Consumer(harness, kind, number, "pasts").try_pasts(rounds),
                range(pasts // rounds)))
        harness.count(f"{kind}: results after tokens of the store's past",
                      sum(results for results, _ in found), pasts // 4)
        harness.count(f"{kind}: tokens of another past refused",
                      sum(refusals for _, refusals in found), pasts // 4)
