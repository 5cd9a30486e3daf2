"""Reads and writes that transfer fewer bytes than they were asked for, by libfiu.

The system may do that at any time, so every operation must go on as if nothing had happened.
"""

from trials import PATIENCE
from worker import command_line

CALLS = ("pread", "pwrite")
PROBABILITY = 0.9


def shortened(arguments, call):
    """A command line under which most transfers of a kind are short."""
    fault = f"enable_random name=posix/io/rw/{call}/reduce,probability={PROBABILITY}"
    return ["fiu-run", "-x", "-c", fault, *arguments]


def attempt(bench, trial, call):
    """Runs an operation, and reports what is wrong."""
    trial.base.copy(bench.folder)
    arguments = shortened(trial.arguments(bench.folder), call)
    run = bench.harness.run(arguments)
    outcome = trial.outcome(run)
    url = bench.harness.url(trial.kind, bench.folder, timeout=PATIENCE)
    wrong = bench.verifier.verdict(url, trial.script, outcome.allowed_text)
    if outcome.refusals or run.returncode != 0:
        said = ", ".join(code for _, code in outcome.refusals)
        wrong = f"it ended with {run.returncode}: {said}"
    if not wrong.startswith("OK"):
        command = f"{trial.base.command(bench.folder)}; {command_line(arguments)}"
        bench.harness.fail(f"{trial}, short {call}: {wrong}", command)


def sweep(bench, trials):
    """Runs operations with short reads and with short writes, and returns how many runs."""
    runs = [(trial, call) for trial in trials for call in CALLS]
    for trial, call in runs:
        attempt(bench, trial, call)
    return len(runs)
