"""Workers killed at random moments of endless random saves, each going on where the last one was.

A store is killed many times over, so that what recovery leaves is what the next worker finds.
"""

import concurrent.futures
import contextlib
import subprocess
import time

from harness import KINDS, STORES
from worker import Verifier, command_line, read_outcome, run_arguments

GOAL = 1_000
RELEASE_GOAL = 50_000
# So many of them where a thread beside the saves checkpoints the journal or the log without a pause.
FOLDING_GOAL = 200
FOLDING_RELEASE_GOAL = 5_000
# Most of the time they wait.
WORKERS = 4
# How often one store is killed; its steps are all done again in memory by each verification.
KILLS_OF_A_STORE = 25
# A worker lives this long after its store is open, in seconds.
LIFE = 0.03


class Chain:
    """One store that is killed again and again."""

    def __init__(self, harness, kind, number, *options):
        self.harness = harness
        self.kind = kind
        self.options = options
        self.random = harness.random(kind, number, *options)
        self.folder = harness.folder("-".join([kind, str(number), *options]))
        self.url = harness.url(kind, self.folder)
        self.script = f"auto {self.random.randrange(1, 1 << 40)}"
        self.state = 0
        self.kills = 0
        self.acknowledgements = 0
        self.story = []

    def run(self):
        """Kills the store's workers one by one.

        Stops at the first that left something wrong.
        """
        with Verifier(self.harness) as verifier:
            while self.kills < KILLS_OF_A_STORE:
                if not self._kill_one(verifier):
                    break
        return self

    def _kill_one(self, verifier):
        arguments = run_arguments(self.harness, self.url, self.script, "--from", self.state + 1,
                                  *self.options)
        # Every fourth dies while it opens the store, the others while they save.
        early = self.random.random() < 0.25
        life = self.random.random() * LIFE
        output, is_killed = run_and_kill(self.harness, arguments, early, life)
        outcome = read_outcome(output, before=self.state)
        self.acknowledgements += outcome.acknowledgements
        self.kills += is_killed
        self.story.append(f"{command_line(arguments)}  # said {outcome.tried}, "
                          f"acknowledged {outcome.acknowledged}")
        verdict = verifier.verdict(self.url, self.script, outcome.allowed_text)
        if outcome.refusals or not is_killed:
            verdict = f"it ended by itself: {output[-200:].decode(errors='replace')}"
        if not verdict.startswith("OK "):
            self._fail(verdict, verifier.command(self.url, self.script, outcome.allowed_text))
            return False
        self.state = int(verdict.split()[1])
        return True

    def _fail(self, verdict, command):
        what = f"{self.kind} after {self.kills} kills, {self.script!r}: {verdict}"
        again = f"Scripts/test-faults kills --seed {self.harness.seed}"
        self.harness.fail(what, f"{again}  # {self.story[-1]}; {command}")


def run_and_kill(harness, arguments, early, life):
    """Runs a worker and kills it after some time.

    Returns what it said, and whether it was still alive.
    """
    process = subprocess.Popen(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=harness.environment,
    )
    output = b"" if early else process.stdout.readline()
    time.sleep(life)
    process.kill()
    with contextlib.closing(process.stdout):
        output += process.stdout.read()
    return output, process.wait() == -9


def run(harness):
    goal = RELEASE_GOAL if harness.is_release else GOAL
    kill(harness, "kills", KINDS, goal)
    goal = FOLDING_RELEASE_GOAL if harness.is_release else FOLDING_GOAL
    kill(harness, "kills beside checkpoints", STORES, goal, "--beside", "checkpoints")


def kill(harness, name, kinds, goal, *options):
    """Kills workers with some options until there are enough."""
    count = -(-goal // KILLS_OF_A_STORE)
    chains = ((kinds[number % len(kinds)], number) for number in range(count))
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as executor:
        done = list(executor.map(lambda chain: Chain(harness, *chain, *options).run(), chains))
    harness.count(name, sum(chain.kills for chain in done), goal)
    harness.count(f"{name}: saves acknowledged before them",
                  sum(chain.acknowledgements for chain in done))
