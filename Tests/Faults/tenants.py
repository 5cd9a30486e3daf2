"""Two processes that save to a thousand stores of one PostgreSQL database, one of them killed."""

import collections
import os
import subprocess
import threading
import time

STORES = 1_000
CONNECTIONS = 4
# The memory of an open store.
BYTES_PER_STORE = 20_000


def run(harness):
    url = os.environ.get("POSTGRES_URL")
    if not url:
        harness.skip("tenants", "POSTGRES_URL is not set; Scripts/with-postgresql starts a server")
        return
    kills = 40 if harness.is_release else 8
    check(harness, [url, url], kills, "Scripts/test-faults tenants")


def check(harness, urls, kills, command):
    """Runs the processes, each on the server of a URL, and compares their logs with the stores."""
    if not worker(harness, urls[0], command, "create"):
        return
    harness.count("stores created", STORES, STORES)
    monitor = Connections(urls[0])
    monitor.start()
    folder = harness.folder("logs")
    seconds = kills * 2
    numbers = harness.random("lives")
    steady = start(harness, urls[0], folder, 1, seconds)
    for kill in range(kills):
        process = start(harness, urls[1], folder, kill + 2, seconds)
        time.sleep(numbers.uniform(0.5, 2.5))
        process.kill()
        process.wait()
    if steady.wait() != 0:
        errors = (folder / "1.errors").read_text()[-300:]
        harness.fail(f"the process that was not killed ended with {steady.returncode}: {errors}", command)
    monitor.end()
    lines = [line for log in folder.glob("*.log") for line in complete(log)]
    judge(harness, lines, worker(harness, urls[0], command, "check"), command)
    weigh(harness, complete(folder / "1.log"), command)
    harness.count("processes killed while they saved", kills, kills)
    harness.count("the most connections of two processes", monitor.most, 1)
    if monitor.most > 2 * CONNECTIONS:
        harness.fail(f"{monitor.most} connections of two processes with {CONNECTIONS} each", command)


def complete(log):
    """The words of a log's lines; that of a killed process may end in the middle of one."""
    return [line.split() for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]


def arguments(harness, url, *words):
    return [harness.worker, "tenants", url, str(STORES), *map(str, words)]


def worker(harness, url, command, *words):
    done = harness.run(arguments(harness, url, *words), timeout=1_800)
    lines = done.stdout.decode().splitlines()
    if done.returncode or lines[-1:] != ["OK"]:
        harness.fail(f"tenants {words}: {lines[-1:]} {done.stderr[-300:]!r}", command)
        return []
    return lines


def start(harness, url, folder, seed, seconds):
    with (folder / f"{seed}.log").open("wb") as log, (folder / f"{seed}.errors").open("wb") as errors:
        return subprocess.Popen(arguments(harness, url, "save", seed, seconds), stdout=log, stderr=errors,
                                stdin=subprocess.DEVNULL, env=harness.environment)


class Connections(threading.Thread):
    """Counts the connections of the processes to the database, ten times a second."""

    def __init__(self, url):
        super().__init__()
        self.url = url
        self.most = 0
        self.ending = threading.Event()

    def run(self):
        while not self.ending.wait(0.1):
            done = subprocess.run(
                ["psql", "-XqAt", self.url, "-c", """
                    SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
                    AND backend_type = 'client backend' AND application_name !~ '^citus'"""],
                capture_output=True, text=True, check=False)
            if done.returncode == 0:
                self.most = max(self.most, int(done.stdout))

    def end(self):
        self.ending.set()
        self.join()


def judge(harness, lines, found, command):
    attempted = collections.defaultdict(set)
    acknowledged = collections.defaultdict(set)
    for words in lines:
        match words:
            case ["I", name, number]:
                attempted[name].add(number)
            case ["A", name, number]:
                acknowledged[name].add(number)
            case ["N", name, *sentence]:
                harness.fail(f"{name}: {' '.join(sentence)}", command)
    for line in found[:-1]:
        _, name, saves, *numbers = line.split()
        if len(numbers) != len(set(numbers)) or int(saves) != len(numbers):
            harness.fail(f"{name} has {len(numbers)} items of {saves} saves", command)
        for number in acknowledged[name] - set(numbers):
            harness.fail(f"the acknowledged item {number} of {name} is lost", command)
        for number in set(numbers) - attempted[name]:
            harness.fail(f"{name} has the item {number} of another store", command)
    harness.count("saves acknowledged", sum(map(len, acknowledged.values())), STORES)
    harness.count("stores used", len(acknowledged), STORES * 9 // 10)
    harness.count("saves cut off by a kill", sum(len(attempted[name] - acknowledged[name]) for name in attempted))


def weigh(harness, lines, command):
    """Judges the memory of a process by the number of stores that it has open."""
    memory = [(int(count), int(size)) for kind, count, size in (line[:3] for line in lines if line[0] == "M")]
    first, last = min(memory), max(memory)
    growth = (last[1] - first[1]) // max(1, last[0] - first[0])
    harness.count("bytes of memory for each open store", growth)
    if growth > BYTES_PER_STORE:
        harness.fail(f"an open store needs {growth:,} bytes", command)
