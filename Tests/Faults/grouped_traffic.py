"""Many threads that save at once on one store, on a slow disk so that their saves form groups.

They are of one process, or of two, each of which has the store open and makes groups of its own.
"""

import itertools
import os
import pathlib
import random
import statistics
import subprocess
import threading
import urllib.parse

import slow_disk
from cluster import EXPECTED
from harness import STORES
from traffic import Member, Plan, Traffic

THREADS = 16
# How long a sync takes, in microseconds.
SYNC = 10_000
# A process lives about as long, and a connection to a server.
LIFE = 0.4
# The least number of saves for ten syncs, while no more than so many threads have work.
GROUPED, BUSY = 15, THREADS / 2


class Threads(Member):
    """A process whose threads each have a history; lines begin with the number of the thread."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.kinds = {}
        self.ended = set()

    def start(self):
        self.ended.clear()
        super().start()

    def note(self, words):
        thread, *words = words
        self.kind = self.kinds.get(thread)
        following = self.next
        super().note(words)
        # No thread repeats the number of another life.
        self.next = max(self.next, following)
        match words:
            case ["I", _, _, kind, *_]:
                self.kinds[thread] = kind
            case ["E", _]:
                self.ended.add(thread)
        self.has_ended = len(self.ended) == self.traffic.plan.threads

    def logs(self):
        lines = [line.partition(" ") for line in self.log.read_text().splitlines(keepends=True)]
        first = self.number * self.traffic.plan.threads
        return [[text for thread, _, text in lines if thread == str(number)]
                for number in range(first, first + self.traffic.plan.threads)]

    def working_threads(self):
        """How many threads have work, those that wait for the processor included."""
        count = 0
        for file in pathlib.Path("/proc", str(self.process.pid), "task").glob("*/stat"):
            try:
                count += file.read_text().rpartition(")")[2].split()[0] == "R"
            except OSError:
                # The thread has ended.
                continue
        return count


class GroupedTraffic(Traffic):
    """The threads of one process or two on a store in a file."""

    member = Threads

    def __init__(self, *arguments):
        self.looks = itertools.count()
        # How many threads had work, at some of the looks.
        self.working = []
        super().__init__(*arguments)

    def watch_log(self, before):
        if next(self.looks) % 20 == 0:
            self.working.append(self.members[0].working_threads())
        return super().watch_log(before)


class ServerTraffic(GroupedTraffic):
    """The threads of a process on a server that ends their sessions while they save, or of two
    processes that are killed."""

    def __init__(self, *arguments, server):
        self.server = server
        self.ends = 0
        super().__init__(*arguments)

    def store_url(self, **_):
        parts = urllib.parse.urlsplit(self.server)
        query = "&".join(part for part in (parts.query, f"schema={self.name}", "keep=forever") if part)
        return urllib.parse.urlunsplit(parts._replace(query=query))

    def watch(self):
        # A process that is started anew would not open the store while its sessions end.
        if self.plan.life:
            return super().watch()
        ending = threading.Event()
        ender = threading.Thread(target=self.end_sessions, args=[ending])
        ender.start()
        try:
            return super().watch()
        finally:
            ending.set()
            ender.join()

    def end_sessions(self, ending):
        """Ends sessions that are at work, until the end."""
        numbers = random.Random(self.seed)
        # The store is open by then.
        ending.wait(2 * LIFE)
        while not ending.wait(numbers.uniform(0, LIFE)):
            found = self.sql("""
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE state <> 'idle'
                AND backend_type = 'client backend' AND pid <> pg_backend_pid()""")
            self.ends += int(found or 0)

    def sql(self, text):
        done = subprocess.run(["psql", "-XqAt", self.server, "-c", text],
                              capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def look_at(self, history):
        for code, count in history.codes.items():
            if code not in EXPECTED:
                self.fail(f"{count} times {code}: {history.reasons[code]}")


def run(harness):
    seconds = harness.seconds or (60 if harness.is_release else 2 if harness.is_quick else 10)
    for kind in STORES:
        for life in (None, LIFE):
            files(harness, kind, max(1, seconds // 2), life)
    # A JSON store is open for writing in one process at a time.
    files(harness, "sqlite", max(1, seconds // 2), LIFE, processes=2)
    server = os.environ.get("POSTGRES_URL")
    if not server:
        harness.skip("groups on a server", "POSTGRES_URL is not set")
        return
    for processes in (1, 2):
        on_server(harness, server, seconds, processes)


def plan(kind, processes, seconds, **options):
    return Plan(kind, processes, threads=THREADS // processes, seconds=seconds, session=0, **options)


def files(harness, kind, seconds, life, processes=1):
    """Threads on a store in a file, in processes that are killed again and again or in none."""
    name = f"{kind} with kills" if life else kind
    name = f"{name}, two processes" if processes > 1 else name
    # The path of a library that is loaded first has no spaces.
    folder = harness.folder(f"slow-{kind}-{'killed' if life else 'whole'}-{processes}")
    counts = folder / "counts"
    environment = slow_disk.environment(folder, SYNC, counts)
    traffic = GroupedTraffic(
        harness, name, plan(kind, processes, seconds, life=life, environments=(environment,)),
        harness.seed)
    # On a machine that is busy, a process may be killed before its first save.
    saves = report(harness, name, traffic, goal=0 if life else 1)
    if life:
        count_kills(harness, name, traffic)
    else:
        syncs = sum(map(int, counts.read_text().split())) if counts.exists() else saves
        # On a machine that is busy, most threads wait for the processor, and make too few saves for
        # groups. If each save waits for a sync of its own, most threads sleep.
        goal = GROUPED if statistics.mean(traffic.working or [THREADS]) <= BUSY else 0
        harness.count(f"{name}: saves for ten syncs", 10 * saves // max(1, syncs), goal)


def on_server(harness, server, seconds, processes):
    """Threads on a store in a server, in a process that lives or in two that are killed."""
    name = "groups" if processes == 1 else "groups_of_two"
    title = "postgres" if processes == 1 else "postgres with kills, two processes"
    life = LIFE if processes > 1 else None
    traffic = ServerTraffic(
        harness, name, plan("postgres", processes, seconds, life=life, pause=20), harness.seed,
        server=server)
    report(harness, title, traffic, goal=0 if life else 1)
    if life:
        count_kills(harness, title, traffic)
    else:
        harness.count(f"{title}: sessions ended in a transaction", traffic.ends, 1)
    traffic.sql(f"SET client_min_messages = warning; DROP SCHEMA {name} CASCADE")


def count_kills(harness, name, traffic):
    harness.count(f"{name}: kills", sum(member.kills for member in traffic.members), 1)


def report(harness, name, traffic, goal):
    traffic.command = f"Scripts/test-faults groups --seed {traffic.seed}  # {traffic.folder}"
    history = traffic.run()
    if not history:
        return 0
    harness.count(f"{name}: saves of {THREADS} threads", history.saves, goal)
    print(f"    {len(history.operations):,} operations, {history.codes['conflict']:,} conflicts, "
          f"slowest response {history.longest_wait:.2f} s", flush=True)
    return history.saves
