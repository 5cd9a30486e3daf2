"""Faults of a Citus cluster beside clients that save; `Scripts/test-cluster` starts the cluster.

Eight processes keep ledgers (`storeworker traffic`), and others write and follow the history of a
second store (`storeworker follow`). Meanwhile both stores are moved between the workers, backends are
killed, and nodes are stopped at once and started.
"""

import collections
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse

import tenants
from harness import Harness
from traffic import Plan, Traffic

AGAIN = "Scripts/test-cluster GITDIR"
CLIENTS = 8
WRITERS = 2
REST = 2
KILLS = 5
KILLED_PROCESSES = 20
# No client waits longer after the end of a fault.
LONGEST_PAUSE = 5
# What saves throw when a node is lost; nothing else may be thrown.
EXPECTED = {"conflict", "notSaved", "io", "storeBusy", "outcomeUnknown"}


def quoted(url):
    """A URL as the value of another's parameter."""
    return urllib.parse.quote(url, safe="")


class Faults(threading.Thread):
    """Causes one fault after the other, each with a time without faults after it."""

    def __init__(self, servers, schemas, seed):
        super().__init__()
        self.servers = servers
        self.schemas = schemas
        self.random = random.Random(seed)
        self.ending = threading.Event()
        # The beginning and end of each fault by its name, on the clock of the logs.
        self.times = collections.defaultdict(list)
        self.failed_moves = 0
        self.misplaced = 0

    def run(self):
        faults = [self.move, self.end_backends, self.kill_backends, self.stop_node,
                  self.end_backends_during_move, self.drain_and_rebalance]
        while not self.ending.wait(REST):
            fault = faults[sum(map(len, self.times.values())) % len(faults)]
            began = time.monotonic()
            try:
                fault()
            except subprocess.CalledProcessError as error:
                print(f"    {fault.__name__} failed: {error.stderr}", flush=True)
            name = fault.__name__.replace("_", " ")
            self.times[name].append((began, time.monotonic()))

    def end(self):
        self.ending.set()
        self.join()

    def node(self, schema):
        """The worker that has a store."""
        ports = self.servers.sql(0, f"""
            SELECT nodeport FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
            JOIN pg_dist_node USING (groupid) WHERE logicalrelid = '{schema}._meta'::regclass""")
        return next(node for node in (1, 2) if ports == [str(self.servers.port(node))])

    def move(self):
        for schema in self.schemas:
            port = self.servers.port(3 - self.node(schema))
            try:
                self.servers.sql(
                    0, f"SELECT citus_schema_move('{schema}', '{self.servers.folder}', {port})")
            except subprocess.CalledProcessError as error:
                self.failed_moves += 1
                print(f"    a move failed: {error.stderr.splitlines()[:1]}", flush=True)

    def drain_and_rebalance(self):
        """Empties a worker, as before its removal, and spreads the stores again."""
        node = self.random.randrange(1, 3)
        place = f"'{self.servers.folder}', {self.servers.port(node)}"
        self.servers.sql(0, f"SELECT citus_drain_node({place})")
        drained = all(self.node(schema) != node for schema in self.schemas)
        self.servers.sql(0, f"SELECT citus_set_node_property({place}, 'shouldhaveshards', true)")
        self.servers.sql(0, "SELECT rebalance_table_shards()")
        spread = len({self.node(schema) for schema in self.schemas})
        self.misplaced += not drained or spread < len(self.schemas)

    def end_backends(self):
        self.servers.sql(self.random.randrange(3), """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < 0.5""")

    def kill_backends(self):
        """Kills backends, after each of which the server ends all others and recovers."""
        for _ in range(KILLS):
            node = self.random.randrange(3)
            found = self.servers.sql(node, """
                SELECT pid FROM pg_stat_activity
                WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()""")
            if found:
                os.kill(int(self.random.choice(found)), signal.SIGKILL)
                self.wait(node)
            time.sleep(self.random.random())

    def stop_node(self):
        node = self.random.randrange(3)
        self.servers.stop(node)
        time.sleep(1)
        self.servers.start(node)
        self.wait(node)

    def end_backends_during_move(self):
        moving = threading.Thread(target=self.move)
        moving.start()
        while moving.is_alive():
            time.sleep(self.random.random())
            try:
                self.end_backends()
            except subprocess.CalledProcessError:
                pass
        moving.join()

    def wait(self, node):
        """Waits until a node accepts connections."""
        while True:
            try:
                return self.servers.sql(node, "SELECT 1")
            except subprocess.CalledProcessError:
                time.sleep(0.05)


class ClusterTraffic(Traffic):
    """Clients that begin with different nodes."""

    def __init__(self, harness, servers, plan):
        self.servers = servers
        super().__init__(harness, "traffic", plan, harness.seed)
        self.command = f"{AGAIN} faults"
        self.followers = Followers(harness, servers)
        self.faults = Faults(servers, ["traffic", "followed"], harness.seed)

    def watch(self):
        self.followers.start()
        self.faults.start()
        try:
            return super().watch()
        finally:
            self.faults.end()
            self.followers.end()

    def store_url(self, **_):
        return self.url_from(0)

    def url_of(self, member):
        return self.url_from(member.number)

    def url_from(self, number):
        nodes = [(number + next) % 3 for next in range(3)]
        return self.servers.url(*nodes, schema="traffic", keep="forever", timeout=20,
                                ddlURL=quoted(self.servers.url(0)))

    def look_at(self, history):
        for code, count in history.codes.items():
            print(f"    {count} times {code}: {history.reasons[code][:200]}", flush=True)
            if code not in EXPECTED:
                self.fail(f"{count} times {code}: {history.reasons[code]}")


class Followers:
    """Writers of a store and a consumer of its history, started again when a lost node ends them."""

    def __init__(self, harness, servers):
        self.harness = harness
        self.servers = servers
        self.index = harness.folder("follow") / "index.json"
        self.counts = collections.Counter()
        self.ending = threading.Event()
        self.run("save:1:1")
        steps = [f"write:{number + 1}" for number in range(WRITERS)] + ["follow"]
        self.threads = [threading.Thread(target=self.repeat, args=one) for one in enumerate(steps)]

    def arguments(self, node, *steps):
        url = self.servers.url(node % 3, schema="followed", keep="forever", timeout=20,
                               ddlURL=quoted(self.servers.url(0)))
        return [self.harness.worker, "follow", url, str(self.index), *steps]

    def run(self, *steps):
        done = self.harness.run(self.arguments(0, *steps), timeout=120)
        lines = done.stdout.decode().splitlines()
        if done.returncode or not all(line.startswith("OK ") for line in lines):
            self.fail(f"{steps}: {lines} {done.stderr[-300:]!r}")

    def repeat(self, number, step):
        while not self.ending.is_set():
            process = subprocess.Popen(self.arguments(number, step), stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True,
                                       env=self.harness.environment)
            ender = threading.Thread(target=self.kill_at_end, args=[process])
            ender.start()
            for line in process.stdout:
                self.counts[line.strip()] += line.endswith("\n")
                if line.endswith("\n") and not line.startswith("OK "):
                    self.fail(line)
            process.wait()
            ender.join()
            self.ending.wait(0.2)

    def kill_at_end(self, process):
        while process.poll() is None:
            if self.ending.wait(0.1):
                process.kill()
                process.wait()

    def fail(self, what):
        self.harness.fail(f"the consumer of the history: {what}", f"{AGAIN} faults")

    def start(self):
        for thread in self.threads:
            thread.start()

    def end(self):
        self.ending.set()
        for thread in self.threads:
            thread.join()
        self.run("read", "compare")


def pauses(history, faults):
    """The longest time without an acknowledged save by fault, during it and after its end."""
    times = sorted(one.ended / 1e9 for one in history.operations if one.happened)
    result = {}
    for name, windows in faults.times.items():
        during = after = 0
        for began, ended in windows:
            inside = [began, *(time for time in times if began < time < ended), ended]
            during = max(during, *(next - time for time, next in zip(inside, inside[1:])))
            after = max(after, next((time for time in times if time > ended), ended) - ended)
        result[name] = during, after
    return result


def run(part, servers, worker, seconds):
    """Runs a part; returns whether nothing was lost, reported wrongly or missed."""
    scratch = tempfile.mkdtemp(prefix="cluster-")
    harness = Harness(worker, scratch)
    print(f"\n==> {part} on the cluster, logs in {scratch}", flush=True)
    harness.begin(part)
    if part == "tenants":
        tenants.check(harness, [servers.url(0), servers.url(1)], KILLED_PROCESSES, f"{AGAIN} tenants")
    else:
        plan = Plan("postgres", CLIENTS, seconds=seconds, session=0, pause=200)
        traffic = ClusterTraffic(harness, servers, plan)
        history = traffic.run()
        if history:
            report(harness, history, traffic)
    is_well = harness.summary()
    if is_well:
        shutil.rmtree(scratch)
    return is_well


def report(harness, history, traffic):
    followers, faults = traffic.followers, traffic.faults
    doubts = sum(member.log.read_text().count("\nD ") for member in traffic.members)
    for name, (during, after) in pauses(history, faults).items():
        print(f"    {len(faults.times[name])} × {name}: without a save for {during:.1f} s during it, "
              f"{after:.1f} s after it", flush=True)
        if after > LONGEST_PAUSE:
            harness.fail(f"no save for {after:.1f} s after {name}", f"{AGAIN} faults")
    harness.count("saves acknowledged to eight clients", history.saves, 100)
    harness.count("unknown outcomes", doubts)
    harness.count("saves whose outcome remained unknown", sum(one.outcome == "U" for one in history.operations))
    harness.count("faults", sum(map(len, faults.times.values())), 5)
    if faults.misplaced:
        harness.fail(f"{faults.misplaced} times, stores were not where a drain or a rebalancing puts them",
                     f"{AGAIN} faults")
    harness.count("moves that failed while backends were killed", faults.failed_moves)
    harness.count("saves beside the consumer of the history", followers.counts["OK saved"], 20)
    harness.count("reads of the consumer", followers.counts["OK read"], 20)
