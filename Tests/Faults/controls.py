"""Tests of the tests: what a careless store does must be caught (RELIABILITY.md, F24)."""

import pathlib

from harness import STORES
from statecheck import find_violations

SCRIPT = "put 1;put 2;batch 3 9;blob 2 20000;drop 1;compact;put 4;link 4 1;clear;put 5"
LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib")


def run(harness):
    """Each control must go red on each store."""
    caught = controls = 0
    library = eatmydata()
    if not library:
        harness.skip("controls without any sync", "libeatmydata.so is not installed")
    for kind in STORES:
        cases = {"relaxed taken for full": {"durability": "relaxed", "promised": "full"}}
        if library:
            cases["a sync that does nothing"] = {"preload": library}
        for name, options in cases.items():
            controls += 1
            violations = find_violations(
                harness, kind, SCRIPT, name=f"control-{kind}-{controls}", **options
            )
            if violations:
                caught += 1
            else:
                harness.fail(
                    f"{kind}: {name} was not noticed",
                    f"Scripts/test-faults crashes --seed {harness.seed}",
                )
    harness.count("careless stores caught", caught, controls)


def eatmydata():
    """The library that makes every sync do nothing, None where it is not installed."""
    for folder in LIBRARIES:
        for found in sorted(pathlib.Path(folder).glob("**/libeatmydata.so*")):
            return str(found)
    return None
