"""A disk whose syncs take longer, for programs that are started with an environment."""

import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent / "slow_sync.c"


def environment(folder, microseconds, counts=None):
    """The environment of a program, whose library is compiled into a folder.

    A file gets the number of its syncs when it ends by itself.
    """
    library = pathlib.Path(folder, "slow_sync.so")
    if not library.exists():
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    result = {"LD_PRELOAD": str(library), "SLOW_SYNC": str(microseconds)}
    return result | ({"SLOW_SYNC_COUNTS": str(counts)} if counts else {})
