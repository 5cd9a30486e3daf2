"""Recording what a worker did to its files."""

import dataclasses
import pathlib

from calls import TRACED
from harness import SUFFIXES, store_url
from operations import Reader, Tree, read_tree
from worker import command_line, read_outcome


@dataclasses.dataclass
class Recording:
    """A run of a script, as operations on the folder of its store."""

    kind: str
    script: str
    durability: str
    folder: pathlib.Path
    path: str
    tree: Tree
    reader: Reader
    allowed: tuple = (0,)
    # Crash states before this operation are of no interest.
    first: int = 0

    @property
    def operations(self):
        return self.reader.operations

    def url(self, folder, durability=None):
        """The URL of the store, in this or another folder."""
        options = {"durability": durability} if durability else {}
        return store_url(self.kind, f"{folder}/{self.path}", **options)


class Recorder:
    """Records runs of the worker on one store after the other."""

    def __init__(self, harness, environment=None, preload=None):
        self.harness = harness
        self.settings = dict(environment or {})
        if preload:
            self.settings["LD_PRELOAD"] = preload

    def begin(self, name, kind, script, durability="full", path=None, files=None):
        """An empty recording in an empty folder, or one that has files."""
        folder = self.harness.folder(name)
        write_files(folder, files or {})
        path = path or f"s.{SUFFIXES[kind]}"
        tree = read_tree(folder)
        return Recording(kind, script, durability, folder, path, tree, Reader(folder, tree))

    def run(self, recording, *options, kill=None):
        """Runs the script, or a part of it, and adds what it did to the recording.

        `kill` is a system call and how often it is entered before the worker is killed there.
        """
        trace = self.harness.scratch / self.harness.part / f"{recording.folder.name}.trace"
        url = recording.url(recording.folder, recording.durability)
        command = ["strace", "-f", "-qq", "-y", "-xx", "-s", "4000000", "-o", trace]
        command += ["-e", f"trace={TRACED}"]
        if kill:
            command += ["-e", f"inject={kill[0]}:signal=KILL:when={kill[1]}"]
        for key, value in self.settings.items():
            command += ["-E", f"{key}={value}"]
        command += [self.harness.worker, "run", url, recording.script, *options]
        result = self.harness.run(command, timeout=120)
        if result.returncode is None:
            self.harness.fail("a recorded run hung", command_line(command))
        recording.reader.read(trace)
        trace.unlink()
        return read_outcome(result.stdout, before=min(recording.allowed))


def write_files(folder, files):
    """Writes the files of a state; a content that is None stands for a folder."""
    for path, content in files.items():
        target = folder / path
        if content is None:
            target.mkdir(mode=0o700, parents=True, exist_ok=True)
        else:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            target.write_bytes(content)
