"""Runs parts of the fault harness; `Scripts/test-faults` prepares what they need."""

import argparse
import importlib
import pathlib
import shutil
import sys
import tempfile

from harness import Harness
from parts import BUILDING, PARTS, QUICK


def main():
    parser = argparse.ArgumentParser(prog="test-faults", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--worker", required=True, type=pathlib.Path)
    parser.add_argument("--quick", action="store_true",
                        help=f"without {' and '.join(BUILDING)}, which build programs of their own, "
                             "and a part of the points of groups")
    parser.add_argument("--release", action="store_true", help="the figures of a release run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stop-at-failure", action="store_true", help="end at the first failure")
    parser.add_argument("--targets", help="what alone is fuzzed, as document,journal")
    parser.add_argument("--seconds", type=int,
                        help="how long each target is fuzzed, and writers meet readers")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    memory = pathlib.Path("/dev/shm")
    scratch = tempfile.mkdtemp(prefix="faults-", dir=memory if memory.is_dir() else None)
    harness = Harness(arguments.worker, scratch, arguments.seed, arguments.release)
    harness.is_quick = arguments.quick
    harness.stops_at_failure = arguments.stop_at_failure
    harness.fuzz_targets = arguments.targets.split(",") if arguments.targets else None
    harness.seconds = arguments.seconds
    print(f"seed {arguments.seed}, working in {scratch}")
    try:
        for part in arguments.parts or (QUICK if arguments.quick else PARTS):
            print(f"\n==> {part}", flush=True)
            harness.begin(part)
            importlib.import_module(part).run(harness)
        is_well = harness.summary()
    finally:
        if not harness.failures or arguments.stop_at_failure:
            shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(0 if is_well else 1)


if __name__ == "__main__":
    main()
