"""Faults planted into the stores: each must be found by the part that is there to find it (F24).

A part runs until its first failure, with a worker of the patched sources (`planting.py`).
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

import planting
from planting import VARIABLE
from worker import command_line

PATIENCE = 240


def run(harness):
    began = time.monotonic()
    worker = planting.build(harness)
    if not worker:
        return
    print(f"    built in {time.monotonic() - began:.0f} s", flush=True)
    patches = planting.patches()
    found = sum(find(harness, worker, patch) for patch in patches)
    harness.count("planted faults that were found", found, len(patches))


def find(harness, worker, patch):
    """Returns whether the part that is there for a fault finds it."""
    began = time.monotonic()
    arguments = command(worker, patch.part)
    failure = first_failure(harness, patch.name, arguments)
    if failure:
        seconds = time.monotonic() - began
        print(f"    {patch.name}, after {seconds:.0f} s: {failure[:140]}", flush=True)
        return True
    again = f"{VARIABLE}={patch.name} {command_line(arguments)}"
    harness.fail(f"{patch.part} does not find {patch.name}", again)
    return False


def command(worker, part):
    """What runs a part until its first failure."""
    folder = pathlib.Path(__file__).parent
    return [sys.executable, "-B", folder, part, "--worker", worker, "--stop-at-failure"]


def first_failure(harness, fault, arguments):
    """What a part says first about a worker with a fault, None when it finds nothing."""
    process = subprocess.Popen(
        list(map(str, arguments)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=harness.environment | {VARIABLE: fault},
        start_new_session=True,
        text=True,
        errors="replace",
    )
    try:
        output, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None
    finally:
        # The part's own processes as well.
        end(process)
    failures = [line.strip() for line in output.splitlines() if line.strip().startswith("FAILED")]
    return failures[0] if failures else None


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
