"""The limits under which operations begin, and how each is taken away."""

import contextlib
import dataclasses
import os
import resource
import shutil
import typing

import mounts

PAGES = (0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 48)
NAMES = (0, 1, 2, 3)
SIZES = (0, 100, 4_096, 8_192, 20_000, 32_767, 40_000, 65_536)
# A program cannot be loaded with fewer.
DESCRIPTORS = range(4, 17)
NOBODY = 65_534


def nothing(*_):
    """What a limit does that needs nothing done."""


@dataclasses.dataclass(frozen=True)
class Limit:
    """A limit on a folder that can contain a store."""

    family: str
    name: str
    folder: object
    # Called with the store's folder once the store is in it.
    impose: typing.Callable = nothing
    # Called with the process, or with None when it has ended; more than once.
    lift: typing.Callable = nothing
    prefix: tuple = ()
    # Whether the system may end the process.
    is_deadly: bool = False
    # Whether no file may change before the limit is taken away.
    is_read_only: bool = False

    def __str__(self):
        return f"{self.family}, {self.name}"


def full(family, mount_point):
    """Room for a few pages more."""

    def lift(_):
        (mount_point / "filler").unlink(missing_ok=True)

    for pages in PAGES:
        yield Limit(
            family,
            f"room for {pages} pages",
            mount_point,
            impose=lambda _, pages=pages: mounts.fill(mount_point, pages),
            lift=lift,
        )


def full_memory(folder):
    with mounts.in_memory(folder, size="4m") as mount_point:
        yield from full("full file system in memory", mount_point)


def full_disk(folder):
    with mounts.ext4(folder, 12 << 20) as mount_point:
        yield from full("full ext4", mount_point)


def no_names(folder):
    """No inodes."""
    with mounts.in_memory(folder, nr_inodes=40) as mount_point:
        for names in NAMES:
            yield Limit(
                "full inode table",
                f"room for {names} files",
                mount_point,
                impose=lambda _, names=names: mounts.fill_names(mount_point, names),
                lift=lambda _: shutil.rmtree(mount_point / "fillers", ignore_errors=True),
            )


def raising(kind):
    """What gives a process as much of a resource as the system lets it have."""

    def lift(process):
        if process:
            with contextlib.suppress(ProcessLookupError):
                _, most = resource.prlimit(process.pid, kind)
                resource.prlimit(process.pid, kind, (most, most))

    return lift


def file_size(folder):
    """Files may not be larger than so many bytes: an error, or a deadly signal."""
    lift = raising(resource.RLIMIT_FSIZE)

    for size in SIZES:
        for is_deadly in (False, True):
            yield Limit(
                "file size limit",
                f"{size} bytes{', deadly' if is_deadly else ''}",
                folder,
                lift=lift,
                prefix=("prlimit", f"--fsize={size}:"),
                is_deadly=is_deadly,
            )


def descriptors(folder):
    """A process may have so many descriptors."""

    lift = raising(resource.RLIMIT_NOFILE)
    for number in DESCRIPTORS:
        prefix = ("prlimit", f"--nofile={number}:")
        yield Limit("descriptor limit", f"{number}", folder, lift=lift, prefix=prefix)


def read_only(folder):
    """A mount that takes no changes, not even of root."""
    original = folder.with_name(folder.name + "-original")
    original.mkdir(parents=True, exist_ok=True)
    with mounts.view(folder, original) as mount_point:
        yield Limit(
            "read-only file system",
            "all of it",
            mount_point,
            impose=lambda _: mounts.set_read_only(mount_point, True),
            lift=lambda _: mounts.set_read_only(mount_point, False),
            is_read_only=True,
        )


def immutable(folder):
    """The file system refuses changes of single files, or of the names in the folder."""

    def paths(store, which):
        return [store, *store.iterdir()] if which == "all" else [store]

    for which in ("folder", "all"):
        yield Limit(
            "immutable",
            which,
            folder,
            impose=lambda store, which=which: [
                mounts.set_immutable(path, True) for path in paths(store, which)[::-1]
            ],
            lift=lambda _, which=which: [
                mounts.set_immutable(path, False) for path in paths(folder / "store", which)
            ],
            is_read_only=which == "all",
        )


def not_ours(folder):
    """Files, or the folder, of somebody else, for a process that is not root."""
    user = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")

    def give(store, owner):
        for path in (store, *store.rglob("*")):
            os.chown(path, owner, owner)

    def keep_folder(store):
        give(store, NOBODY)
        os.chown(store, 0, 0)

    def lift(process):
        # Who verifies is root again.
        give(folder / "store", NOBODY if process else 0)

    yield Limit("no permission", "for the files", folder, lift=lift, prefix=user, is_read_only=True)
    yield Limit("no permission", "for the folder", folder, keep_folder, lift, prefix=user)


FAMILIES = (
    full_memory, full_disk, no_names, file_size, descriptors, read_only, immutable, not_ours,
)  # fmt: skip
