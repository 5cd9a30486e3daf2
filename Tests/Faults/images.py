"""File systems in files, whose power can be cut."""

import fcntl
import os
import shutil
import struct
import time

MEGABYTES = 320
FILE_SYSTEMS = ("ext4", "xfs")
TOOLS = ("mkfs.ext4", "mkfs.xfs", "mount", "umount")

# What `xfs_io -x -c shutdown` asks of ext4 and xfs, here without the start of a program.
GOING_DOWN = 0x8004587D
LOG_FLUSHED, LOG_NOT_FLUSHED = 1, 2


def objection():
    """Why no image can be mounted here, None when it can."""
    if os.geteuid() != 0:
        return "it needs root"
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        return f"{', '.join(missing)} not installed"
    return None if os.path.exists("/dev/loop-control") else "there are no loop devices"


class ImageError(Exception):
    """The machine did not do what it was asked; says nothing about a store."""


class Image:
    """A mounted file system of its own, in memory; gone at the end."""

    def __init__(self, harness, kind, name=None):
        self.harness = harness
        self.kind = kind
        base = harness.folder(name or f"image-{kind}")
        self.file = base / "image"
        self.root = base / "mounted"
        self.root.mkdir()
        self.is_mounted = False

    def __enter__(self):
        with open(self.file, "wb") as file:
            file.truncate(MEGABYTES << 20)
        force = ["-F"] if self.kind.startswith("ext") else []
        self._do(f"mkfs.{self.kind}", "-q", *force, self.file)
        self.mount()
        return self

    def __exit__(self, *_):
        if self.is_mounted:
            self.harness.run(["umount", "--lazy", self.root])
        self.file.unlink(missing_ok=True)

    def mount(self):
        """Mounts the file system, which replays its journal."""
        self._do("mount", "-o", "loop", "-t", self.kind, self.file, self.root)
        self.is_mounted = True

    def unmount(self):
        # Who was killed a moment ago may still be letting go of it.
        for pause in (0, 0.02, 0.1, 0.5, 1):
            time.sleep(pause)
            if self.harness.run(["umount", self.root]).returncode == 0:
                self.is_mounted = False
                return
        self._do("umount", self.root)

    def cut_power(self, flushes_log=False):
        """Stops all writing at once: what has not reached the image never will.

        With the log flushed, changes of names and sizes reach it while contents do not.
        """
        descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            flags = LOG_FLUSHED if flushes_log else LOG_NOT_FLUSHED
            fcntl.ioctl(descriptor, GOING_DOWN, struct.pack("I", flags))
        finally:
            os.close(descriptor)

    def _do(self, *command):
        result = self.harness.run(command)
        if result.returncode != 0:
            raise ImageError(f"{' '.join(map(str, command))}: {result.stderr.decode().strip()}")
