"""A save killed at each of its system calls, and then its recovery harmed at each of its own.

What the first worker left is copied, and for each call of the worker that opens it next that
worker is killed, or receives an error, before the store is verified.
"""

from harness import STORES
from trials import Base, Operation, Trial
from sweeps import Benches, Point, sweep
from tracing import CHANGING, KILL, error

GOAL = 500
# A few more than the goal, of which there are many more.
SAMPLE = 640
SAVES = (Operation("insert", "put 50"), Operation("other value file", "blob 3 30000"))
RECOVERY = Operation("open after a kill", part="all")


def recoveries(harness, benches):
    """The opening of each store that a save leaves when it is killed, call by call."""
    for kind in STORES:
        closed = Base.closed(harness, kind)
        for save in SAVES:
            trial = Trial(harness, kind, save, closed)
            # Before a call that changes nothing the files are as before the next that does.
            calls = [call for call in benches.mine.calls(trial) if call.name in CHANGING]
            for number, call in enumerate(calls):
                base = Base.killed(trial, call, f"{save.step.split()[0]}-{number}")
                if base.state is not None:
                    yield trial, call, Trial(harness, kind, RECOVERY, base)


def pairs(harness, benches):
    """Each recovery with each of its calls, killed and failed once."""
    for save, killed, recovery in recoveries(harness, benches):
        recovery.origin = f"{save} killed at {killed}, "
        for call in benches.mine.calls(recovery):
            if call.name in CHANGING:
                yield Point(recovery, call, KILL)
            if not call.gives_back:
                yield Point(recovery, call, error("EIO"))


def run(harness):
    with Benches(harness) as benches:
        points = list(pairs(harness, benches))
        harness.count("pairs of a kill and a fault of the recovery", len(points))
        if not harness.is_release:
            points = harness.random().sample(points, min(SAMPLE, len(points)))
        harness.count("pairs tried", sweep(harness, benches, points), GOAL)
