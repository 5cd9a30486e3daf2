"""Damaged files: mutants of stores are opened, read and saved to, thousands a second.

Each must be refused with a typed error and left as it was, or be read; what a checksum covers must
be a state that was saved. Nothing may trap, hang, or take memory without bound. Also: SQLite with
too little memory, at one ceiling after the other.
"""

import collections
import concurrent.futures
import os
import subprocess

from worker import command_line

# How many mutants, in CI and before a release.
GOALS = {"json": (50_000, 1_000_000), "sqlite": (20_000, 1_000_000)}
CEILINGS = (200, 2_000)
# What a worker says of a mutant that was dealt with as it must be.
FINE = {"refused", "unread", "opened", "unsaved"}
# More failures than these say nothing new.
ENOUGH = 20


def run(harness):
    for kind, goals in GOALS.items():
        mutate(harness, kind, goals[harness.is_release])
    limit_heap(harness, CEILINGS[harness.is_release])


def mutate(harness, kind, count):
    """Opens so many mutants of one kind of store, in as many processes as there are processors."""
    processes = max(2, os.cpu_count() or 2)
    share = -(-count // processes)
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        shares = [
            pool.submit(Share(harness, kind, number).run, number * share + 1, share)
            for number in range(processes)
        ]
        tallies = [share.result() for share in shares]
    tally = sum(tallies, collections.Counter())
    done = sum(tally.values())
    harness.count(f"{kind} mutants", done, count)
    words = ", ".join(f"{word} {number:,}" for word, number in tally.most_common(12))
    print(f"    {words}")
    for word in ("opened", "refused storeDamaged"):
        if not tally[word]:
            harness.fail(f"no mutant of {kind} was '{word}': the mutants are no good", "")


class Share:
    """The mutants that one process after the other opens."""

    def __init__(self, harness, kind, number):
        self.harness = harness
        self.kind = kind
        self.url = harness.url(kind, harness.folder(f"{kind}-{number}"), timeout=0.05)
        self.tally = collections.Counter()
        self.failures = 0

    def run(self, first, count):
        """Opens the mutants, and goes on behind each that stopped the process."""
        end = first + count
        while first < end and self.failures < ENOUGH:
            reached, code = self.read(first, end - first)
            if reached < end:
                self.fail(reached, f"the worker stopped with code {code}")
                self.tally["stopped"] += 1
            first = reached + 1
        return self.tally

    def arguments(self, first, count):
        return [
            self.harness.worker, "mutate", self.url, "--seed", self.harness.seed,
            "--from", first, "--count", count,
        ]

    def read(self, first, count):
        """Reads what one process says; returns the number of the mutant at which it ended."""
        process = subprocess.Popen(
            list(map(str, self.arguments(first, count))),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.harness.environment,
            text=True,
            errors="replace",
        )
        following = first
        for line in process.stdout:
            number, _, verdict = line.rstrip("\n").partition(" ")
            if number != str(following):
                self.fail(following - 1, line.strip())
                continue
            following += 1
            self.judge(int(number), verdict)
        return following, process.wait()

    def judge(self, number, verdict):
        if verdict.split(" ")[0] in FINE:
            self.tally[verdict] += 1
        else:
            self.tally["wrong"] += 1
            self.fail(number, verdict)

    def fail(self, number, what):
        self.failures += 1
        if self.failures <= ENOUGH:
            self.harness.fail(
                f"mutant {number} of {self.kind}: {what}",
                command_line(["mkdir", "-p", os.path.dirname(self.url.split(":")[1])])
                + " && " + command_line(self.arguments(number, 1)),
            )


def limit_heap(harness, count):
    """Lets SQLite have so much memory and no more, from none to enough."""
    url = harness.url("sqlite", harness.folder("heap"), timeout=0.05)
    arguments = [harness.worker, "heap", url, "--count", count]
    done = harness.run(arguments, timeout=120 + count)
    lines = done.stdout.decode(errors="replace").splitlines()
    for line in lines:
        if line.split(" ")[1] == "WRONG":
            harness.fail(f"heap ceiling {line}", command_line(arguments))
    if done.returncode != 0:
        harness.fail(
            f"the worker stopped with code {done.returncode} at heap ceiling {len(lines) + 1}",
            command_line(arguments),
        )
    tally = collections.Counter(line.split(" ", 1)[1] for line in lines)
    harness.count("heap ceilings", len(lines), count)
    print(f"    {', '.join(f'{word} {number}' for word, number in tally.most_common())}")
    if not any(word.startswith("failed") for word in tally):
        harness.fail("no ceiling was too low for SQLite: the ceilings are no good", "")
