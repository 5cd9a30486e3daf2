"""What somebody does to the files of a store without asking anybody."""

import dataclasses
import os
import pathlib
import shutil
import typing


@dataclasses.dataclass(frozen=True)
class Target:
    """A file or folder of a store."""

    name: str
    suffix: str
    # Whether it holds what was saved: who destroys it loses that.
    holds_data: bool = True
    # Whether it is in the memory of programs, which the system ends where it has become shorter.
    is_mapped: bool = False

    def path(self, folder, store):
        """Where it is; `store` is the name of the store's file."""
        return folder if self.suffix is None else folder / (store + self.suffix)


TARGETS = {
    "sqlite": (
        Target("database", ""),
        Target("log", "-wal"),
        Target("index of the log", "-shm", holds_data=False, is_mapped=True),
        Target("lock", ".lock", holds_data=False),
        Target("folder of values", ".files"),
        Target("folder of the store", None),
    ),
    "json": (
        Target("document", ""),
        Target("journal", ".journal"),
        Target("lock", ".lock", holds_data=False),
        Target("folder of values", ".files"),
        Target("folder of the store", None),
    ),
}


@dataclasses.dataclass(frozen=True)
class Tampering:
    """Something that is done to a part of a store."""

    name: str
    act: typing.Callable
    # Whether what was in the part is gone afterwards.
    destroys: bool
    shortens: bool = False
    # What takes it back, None for what cannot be.
    undo: typing.Callable = None


def remove(path):
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def replace(path):
    """Replaces it with a copy."""
    copy = path.with_name(path.name + ".copy")
    shutil.copytree(path, copy) if path.is_dir() else shutil.copy2(path, copy)
    if path.is_dir():
        # No rename replaces a folder that has files.
        move(path)
    copy.rename(path)


def truncate(path, share):
    """Cuts a file, or all in a folder, to a share of its size."""
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    for file in files:
        os.truncate(file, int(file.stat().st_size * share))


def aside(path):
    """Outside of the store's folder, on the same file system."""
    folder = path.parent if path.name.startswith("s.") else path
    return pathlib.Path(f"{folder}.aside", path.name)


def move(path):
    aside(path).parent.mkdir(exist_ok=True)
    path.rename(aside(path))


def bring_back(path):
    aside(path).rename(path)


TAMPERINGS = (
    Tampering("removed", remove, destroys=True),
    Tampering("replaced by a copy", replace, destroys=False),
    Tampering("emptied", lambda path: truncate(path, 0), destroys=True, shortens=True),
    Tampering("cut in half", lambda path: truncate(path, 0.5), destroys=True, shortens=True),
    Tampering("moved away", move, destroys=True),
    Tampering("moved away and brought back", move, destroys=False, undo=bring_back),
)
