"""Descriptors of a store's files that the program itself opens and closes.

POSIX locks are those of the process, and closing any descriptor of a file gives them up. A worker
that has a store open reads or copies the store's files, at every point of its life, while another
program opens the store, uses it and closes it. Nothing that was acknowledged may be lost.
"""

import concurrent.futures
import itertools
import sqlite3
import threading

import bare
from accounts import play_all
from harness import STORES, SUFFIXES
from talker import Talker
from trials import FIRST_STEPS
from worker import Verifier, read_outcome, run_arguments

# What a program does with the files of its own store.
ACTS = {
    "sqlite": {
        "reads the database": ["read"],
        "reads all files": ["read", "read -wal", "read -shm", "read .lock"],
        "copies the database": ["copy"],
        "copies all files": ["copy", "copy -wal", "copy -shm"],
        "opens it as another store": ["mistake json"],
    },
    "json": {
        "reads the document": ["read"],
        "reads all files": ["read", "read .journal", "read .lock"],
        "copies the document": ["copy"],
        "copies all files": ["copy", "copy .journal", "copy .lock"],
        "opens it as another store": ["mistake sqlite"],
    },
}
POINTS = ("after opening", "after a save", "after reading", "while another has it open")
VISITORS = {"sqlite": ("saves", "reads", "is sqlite3"), "json": ("saves", "reads")}
ENDS = ("close", "kill")
# Runs in which another thread reads the files all the time, while a program opens and closes.
STORMS, RELEASE_STORMS = 4, 400
STORM_STEPS = 120


class Case:
    """One act at one point, beside one visitor."""

    def __init__(self, harness, kind, act, point, visitor, end):
        self.harness = harness
        self.kind = kind
        self.requests = ACTS[kind][act]
        self.point = point
        self.visitor = visitor
        self.end = end
        self.name = f"{kind}: a program {act} {point}, another {visitor}, then {end}"

    def __call__(self, play, verifier):
        folder = self.harness.folder(self.name.replace(" ", "-").replace(":", ""))
        self.path = f"{folder}/s.{SUFFIXES[self.kind]}"
        self.url = self.harness.url(self.kind, folder, timeout=0.05)
        # Nothing is there before: the first of what is noted is the base.
        with Talker(self.harness, self.url) as owner:
            play.want("it", owner, "open", "ACK")
            self.act("after opening", play, owner)
            self.prepare(play, owner)
            self.act("after a save", play, owner)
            self.visit(play, owner)
            play.save("it", owner, "put 51", "ACK")
            play.ask("it", owner, "items")
            self.act("after reading", play, owner)
            self.visit(play, owner)
            play.save("it", owner, "blob 60 20000", "ACK")
            play.save("it", owner, "put 52", "ACK")
            if self.end == "close":
                play.want("it", owner, "close", "ACK")
        play.judge(verifier, self.url)

    def prepare(self, play, owner):
        """The steps with which every account begins."""
        for number, step in enumerate(FIRST_STEPS.split(";"), 1):
            play.want("it", owner, f"do {number} {step}", "ACK")
        play.save("it", owner, "put 50", "ACK")

    def act(self, point, play, owner):
        if point == self.point:
            for request in self.requests:
                play.ask("it", owner, request)

    def visit(self, play, owner):
        """Another program opens the store, does its work, and closes it."""
        during = "while another has it open"
        if self.visitor == "is sqlite3":
            connection = sqlite3.connect(self.path, check_same_thread=False)
            connection.execute("SELECT count(*) FROM Item").fetchall()
            self.act(during, play, owner)
            connection.execute("SELECT count(*) FROM Item").fetchall()
            connection.close()
            play.story.append("sqlite3 has read and closed")
            return
        url = self.url + ("&readonly=yes" if self.visitor == "reads" else "")
        with Talker(self.harness, url) as visitor:
            opened = play.ask("another", visitor, "open")
            self.act(during, play, owner)
            if opened != "ACK":
                return
            if self.visitor == "saves":
                play.save("another", visitor, "put 70", "ACK")
            play.ask("another", visitor, "items")
            play.want("another", visitor, "close", "ACK")


def cases(harness):
    for kind in STORES:
        for parts in itertools.product(ACTS[kind], POINTS, VISITORS[kind], ENDS):
            case = Case(harness, kind, *parts)
            yield case.name, case


def storm(harness, kind, number):
    """Saves beside a thread that reads all files, and a program that opens and closes the store.

    Returns how many were acknowledged.
    """
    folder = harness.folder(f"storm-{kind}-{number}")
    path, url = f"{folder}/s.{SUFFIXES[kind]}", harness.url(kind, folder)
    script = f"auto {harness.random(kind, number).randrange(1, 1 << 40)}"
    arguments = run_arguments(harness, url, script, "--count", STORM_STEPS, "--beside", "reads")
    has_ended = threading.Event()

    def visit():
        while not has_ended.wait(0.005):
            try:
                connection = sqlite3.connect(path, timeout=0.05)
                connection.execute("SELECT count(*) FROM Item").fetchall()
                connection.close()
            except sqlite3.Error:
                connection.close()

    visitor = threading.Thread(target=visit if kind == "sqlite" else has_ended.wait)
    visitor.start()
    try:
        run = harness.run(arguments, timeout=60)
    finally:
        has_ended.set()
        visitor.join()
    outcome = read_outcome(run.stdout)
    with Verifier(harness) as verifier:
        verdict = verifier.verdict(url, script, outcome.allowed_text)
    if not verdict.startswith("OK") or run.returncode not in (0, 3):
        harness.fail(f"{kind} {script}, its files read all the time: {verdict}, code "
                     f"{run.returncode}", f"Scripts/test-faults descriptors --seed {harness.seed}")
    return outcome.acknowledgements


def control(harness):
    """Plain SQLite must lose saves by the same; otherwise nothing is tried here."""
    path = f"{harness.folder('control')}/s.db"
    with bare.BareTalker(harness, path) as owner:
        for request in ("open", "put 1", "read"):
            owner.ask(request)
        bare.counts(path)
        responses = [owner.ask(f"put {number}") for number in range(2, 12)]
        owner.ask("leave")
    lost = responses.count("ACK") - len(bare.counts(path) - {1})
    harness.count("control: saves that plain SQLite loses", lost, 10)


def run(harness):
    control(harness)
    pairs = list(cases(harness))
    harness.count("descriptors closed beside an open store", play_all(harness, "descriptors", pairs),
                  len(pairs))
    storms = RELEASE_STORMS if harness.is_release else STORMS
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        saves = executor.map(lambda pair: storm(harness, *pair),
                             itertools.product(STORES, range(storms)))
        harness.count("saves while all files are read and closed", sum(saves), storms * STORM_STEPS)
