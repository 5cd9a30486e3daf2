"""Processes side by side on one store: histories, stopped and killed holders, clocks."""

import glob
import os
import subprocess

import history_checks
import process_cases
from traffic import Plan, Traffic

FAKETIME = "/usr/lib/*/faketime/libfaketimeMT.so.1"


def run(harness):
    history_checks.check(harness)
    process_cases.run(harness)
    histories(harness)
    checkpoints(harness)
    fairness(harness)
    clocks(harness)


def histories(harness):
    """Four processes that are killed about every 50 ms, each until it has saved 2,000 times."""
    processes, life = (8, 1) if harness.is_release else (4, 0.05)
    for kind, session in (("sqlite", 200), ("json", 12)):
        saves = 2_000
        if harness.is_release:
            saves = 100_000 if kind == "sqlite" else 25_000
        plan = Plan(kind, processes, saves, life=life, session=session)
        report(harness, f"{kind}-histories", plan, least_kills=saves // 20)


def report(harness, name, plan, least_kills=0):
    """Runs a plan and notes its figures."""
    traffic = Traffic(harness, name, plan)
    history = traffic.run()
    if not history:
        return None
    harness.count(f"{name}: saves of {plan.processes} processes", history.saves,
                  plan.processes * plan.saves)
    if plan.life:
        harness.count(f"{name}: kills", sum(member.kills for member in traffic.members),
                      least_kills)
    print(f"    {len(history.operations):,} operations, {history.codes['conflict']:,} conflicts,"
          f" slowest answer {history.longest_wait:.2f} s", flush=True)
    return traffic


def checkpoints(harness):
    """Saves so large that the log is folded all the time, beside commits of others (C10)."""
    saves = 20_000 if harness.is_release else 1_000
    plan = Plan("sqlite", 4, saves, session=0, padding=200_000)
    traffic = report(harness, "sqlite-folds", plan)
    if traffic:
        harness.count("sqlite-folds: times the log was folded", traffic.folds, saves // 50)
        print(f"    longest log {traffic.longest_log / 1e6:.1f} MB", flush=True)


def fairness(harness):
    """Writers whose every sync takes 5 ms, so that the lock is nearly always held (C5)."""
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
