"""Processes side by side on one store: histories, stopped and killed holders, clocks."""

import glob
import os
import shutil
import subprocess

import history_checks
import process_cases
from traffic import Plan, Traffic

FAKETIME = "/usr/lib/*/faketime/libfaketimeMT.so.1"


def run(harness):
    history_checks.check(harness)
    process_cases.run(harness)
    histories(harness)
    alternation(harness)
    readers(harness)
    checkpoints(harness)
    fairness(harness)
    clocks(harness)


def histories(harness):
    """Four processes that are killed about every 50 ms, each until it has saved 2,000 times."""
    for kind, session in (("sqlite", 200), ("json", 12)):
        plan = Plan(kind, 4, 2_000, life=0.05, session=session)
        rounds = 1
        if harness.is_release:
            # A million saves, in rounds whose logs fit into memory.
            plan = Plan(kind, 8, 5_000, life=0.5, session=session)
            rounds = 20 if kind == "sqlite" else 5
        report(harness, f"{kind}-histories", plan, rounds, least_kills=plan.saves // 40)


def alternation(harness):
    """Two processes that open, save once and close in turn, as programs that share a document do."""
    for kind in ("json", "archive"):
        report(harness, f"{kind}-alternation", Plan(kind, 2, 1_000, session=1))


def readers(harness):
    """Four writers and four readers for a time, with SQLite all at once; with JSON in turns, readers
    together: a store that is open for writing is open once."""
    seconds = harness.seconds or (60 if harness.is_release else 6)
    for kind, session, least in (("sqlite", 0, 100), ("json", 12, 20)):
        plan = Plan(kind, 4, seconds=seconds, readers=4, session=session)
        traffic = report(harness, f"{kind}-readers", plan, least_saves=seconds * least)
        reads = [member.reads for member in traffic.members if member.is_reader]
        harness.count(f"{kind}-readers: reads of {plan.readers} readers", sum(reads),
                      seconds * least)


def report(harness, name, plan, rounds=1, least_kills=0, least_saves=0):
    """Runs a plan some times, each with another seed, and notes its figures.

    Returns what was run last.
    """
    saves = kills = operations = conflicts = wait = 0
    failures = len(harness.failures)
    for number in range(rounds):
        traffic = Traffic(harness, name, plan, harness.seed + number)
        history = traffic.run()
        if not history:
            break
        saves += history.saves
        kills += sum(member.kills for member in traffic.members)
        operations += len(history.operations)
        conflicts += history.codes["conflict"]
        wait = max(wait, history.longest_wait)
        if len(harness.failures) > failures:
            break
    harness.count(f"{name}: saves of {plan.processes} processes", saves,
                  least_saves or rounds * plan.processes * plan.saves)
    if plan.life:
        harness.count(f"{name}: kills", kills, rounds * least_kills)
    print(f"    {operations:,} operations, {conflicts:,} conflicts, slowest response {wait:.2f} s",
          flush=True)
    return traffic


def checkpoints(harness):
    """Saves so large that the log is checkpointed all the time, beside commits of others (C10)."""
    saves = 20_000 if harness.is_release else 1_000
    plan = Plan("sqlite", 4, saves, session=0, padding=200_000)
    traffic = report(harness, "sqlite-checkpoints", plan)
    harness.count("sqlite-checkpoints: times the log was checkpointed", traffic.checkpoints, saves // 50)
    print(f"    longest log {traffic.longest_log / 1e6:.1f} MB", flush=True)


def fairness(harness):
    """Writers whose every sync takes 5 ms, so that the lock is nearly always held (C5)."""
    if not shutil.which("strace"):
        harness.skip("a slow disk", "strace is not there")
        return
    slow = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync,fsync",
            "-e", "inject=fdatasync,fsync:delay_exit=5000")
    for kind, session in (("sqlite", 0), ("json", 12)):
        plan = Plan(kind, 4, 1_000 if harness.is_release else 150, session=session, prefix=slow)
        report(harness, f"{kind}-slow-disk", plan)


def clocks(harness):
    """Processes whose clocks and time zones are years apart (F19)."""
    library = next(iter(glob.glob(FAKETIME)), None)
    if not library:
        harness.skip("wrong clocks", "libfaketime is not there")
        return
    wrong = {"LD_PRELOAD": library, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
             "DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}
    environments = (
        wrong | {"FAKETIME": "-10y", "TZ": "America/St_Johns"},
        wrong | {"FAKETIME": "+12y", "TZ": "Pacific/Kiritimati"},
        wrong | {"FAKETIME": "@2038-01-19 03:14:06", "TZ": "Europe/Berlin"},
        {"TZ": "Asia/Kathmandu"},
    )
    years = {subprocess.run(["date", "+%Y"], env=os.environ | one, capture_output=True).stdout
             for one in environments}
    if len(years) < 3:
        harness.skip("wrong clocks", f"all clocks are in {years}")
        return
    for kind, session in (("sqlite", 200), ("json", 12)):
        saves = 5_000 if harness.is_release else 300
        # libfaketime adds to the environment, after which Swift finds no arguments: `env` takes
        # that upon itself.
        plan = Plan(kind, 4, saves, life=0.2, session=session, prefix=("env",),
                    environments=environments)
        report(harness, f"{kind}-clocks", plan)
