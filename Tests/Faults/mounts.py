"""File systems of the harness's own, taken away again when they are left."""

import contextlib
import os
import subprocess

PAGE = 4096


def call(*arguments):
    """Runs a program, and returns what it printed."""
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True)
    if done.returncode != 0:
        text = done.stderr.decode(errors="replace").strip()
        raise OSError(f"{' '.join(map(str, arguments))}: {text}")
    return done.stdout.decode().strip()


@contextlib.contextmanager
def mounted(folder, *arguments):
    """Mounts something at a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    call("mount", *arguments, folder)
    try:
        yield folder
    finally:
        call("umount", folder)


def in_memory(folder, **options):
    """A file system in memory, with limits such as `size="64k"` and `nr_inodes=9`."""
    text = ",".join(f"{key}={value}" for key, value in options.items())
    return mounted(folder, "-t", "tmpfs", "-o", f"mode=755,{text}", "tmpfs")


@contextlib.contextmanager
def ext4(folder, size):
    """A file system of so many bytes in a file beside the folder."""
    image = folder.with_name(folder.name + ".image")
    with open(image, "wb") as file:
        file.truncate(size)
    try:
        call("mkfs.ext4", "-q", "-F", "-m", "0", "-b", "4096", image)
        with mounted(folder, "-o", "loop", image):
            yield folder
    finally:
        image.unlink()


@contextlib.contextmanager
def view(folder, original):
    """A second way to a folder, which can be made read-only by itself."""
    with mounted(folder, "--bind", original):
        yield folder


def set_read_only(folder, is_read_only):
    """Makes a view read-only, for root as well, or writable again."""
    mode = "ro" if is_read_only else "rw"
    call("mount", "-o", f"remount,{mode},bind", folder)


def set_immutable(path, is_immutable):
    """Has the file system refuse any change of a file, or of the names in a folder."""
    call("chattr", "+i" if is_immutable else "-i", path)


def fill(folder, pages):
    """Takes all room of a file system but for some pages.

    Returns the file that has it.
    """
    filler = folder / "filler"
    room = os.statvfs(folder)
    size = room.f_bavail * room.f_frsize - pages * PAGE
    with open(filler, "wb") as file:
        while size > 0:
            try:
                os.posix_fallocate(file.fileno(), 0, size)
                break
            except OSError:
                # The file system needs some room itself to know where the file is.
                size -= PAGE
    return filler


def fill_names(folder, names):
    """Makes empty files until a file system has room for a few more only.

    Returns the folder of them.
    """
    fillers = folder / "fillers"
    fillers.mkdir()
    free = os.statvfs(folder).f_favail
    for number in range(free - names):
        (fillers / str(number)).touch()
    return fillers
