"""Faults planted into the stores: each must be found by the part that is there to find it (F24).

The worker has them all and shows the one that its environment names (`PlantedFault.swift`). A part
runs until its first failure, as it runs without a planted fault.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

from worker import command_line

VARIABLE = "OPENSWIFTDATA_PLANTED_FAULT"
# The part that finds each fault.
FAULTS = {
    "noSync": "crashes",
    "noFolderSync": "crashes",
    "noJournalSync": "crashes",
    "noValueSync": "crashes",
    "noJournalChecksum": "crashes",
    "normalSynchronous": "crashes",
    "keepsTemporaryFiles": "sweeps",
    "noRollback": "sweeps",
    "unquotedNames": "sweeps",
    "retriesSync": "faultydisks",
    "deniesUnknownOutcome": "sweeps",
    "noLock": "processes",
    "trustsReplacedFiles": "processes",
    "deferredBegin": "processes",
    "noVersionCheck": "processes",
}
PATIENCE = 240


def run(harness):
    found = 0
    for fault, part in FAULTS.items():
        began = time.monotonic()
        failure = first_failure(harness, fault, part)
        if failure:
            found += 1
            print(f"    {fault}, after {time.monotonic() - began:.0f} s: {failure[:140]}", flush=True)
        else:
            arguments = command(harness, part)
            harness.fail(f"{part} does not find {fault}", f"{VARIABLE}={fault} {command_line(arguments)}")
    harness.count("planted faults that were found", found, len(FAULTS))


def command(harness, part):
    """What runs a part until its first failure."""
    folder = pathlib.Path(__file__).parent
    return [sys.executable, "-B", folder, part, "--worker", harness.worker, "--stop-at-failure"]


def first_failure(harness, fault, part):
    """What a part says first about a worker with a fault, None when it finds nothing."""
    process = subprocess.Popen(
        list(map(str, command(harness, part))),
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
