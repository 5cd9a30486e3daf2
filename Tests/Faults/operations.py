"""What a program did to the files of a folder, as far as a disk can tell."""

import dataclasses
import os

from calls import escaped, read_calls

# Locks and shared memory are not what a store keeps: nothing that a loss of power does to them may
# matter, and states that differ in them alone would be counted twice.
IGNORED = (".lock", "-shm")
ROOT = 0


@dataclasses.dataclass(slots=True, frozen=True)
class Make:
    folder: int
    name: str
    node: int
    is_folder: bool = False


@dataclasses.dataclass(slots=True, frozen=True)
class Rename:
    folder: int
    name: str
    new_name: str
    node: int


@dataclasses.dataclass(slots=True, frozen=True)
class Remove:
    folder: int
    name: str
    node: int


@dataclasses.dataclass(slots=True, frozen=True)
class Write:
    node: int
    offset: int
    data: bytes


@dataclasses.dataclass(slots=True, frozen=True)
class Truncate:
    node: int
    size: int


@dataclasses.dataclass(slots=True, frozen=True)
class Sync:
    """Of a file, or of a folder's names."""

    node: int


@dataclasses.dataclass(slots=True, frozen=True)
class Said:
    """A line that the program wrote to its standard output."""

    line: str


@dataclasses.dataclass
class Tree:
    """Names and contents of a folder: what is on the disk before a program runs."""

    folders: dict = dataclasses.field(default_factory=lambda: {ROOT: {}})
    contents: dict = dataclasses.field(default_factory=dict)
    last: int = ROOT

    def new_node(self):
        self.last += 1
        return self.last


def is_ignored(name):
    return name.endswith(IGNORED)


def read_tree(root):
    """What is in a folder now."""
    tree = Tree()

    def read(path, folder):
        for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
            if is_ignored(entry.name):
                continue
            node = tree.folders[folder][entry.name] = tree.new_node()
            if entry.is_dir(follow_symlinks=False):
                tree.folders[node] = {}
                read(entry.path, node)
            else:
                with open(entry.path, "rb") as file:
                    tree.contents[node] = file.read()

    read(root, ROOT)
    return tree


class Reader:
    """Turns the calls of one program after the other into operations on a folder."""

    def __init__(self, root, tree):
        self.root = os.path.realpath(root)
        self.folders = {node: dict(names) for node, names in tree.folders.items()}
        self.last = tree.last
        self.open = {}
        self.positions = {}
        self.operations = []

    def read(self, trace):
        """Adds what the next program did."""
        self.open, self.positions = {}, {}
        for call in read_calls(trace):
            handler = getattr(self, f"_{call.name}", None)
            if handler:
                handler(call)
            else:
                self._refuse(call)
        return self.operations

    def _refuse(self, call):
        """A call that is not understood must not touch the files."""
        named = escaped(self.root + "/")
        for argument in call.arguments:
            argument = argument.strip('<>" ')
            if named in argument and not argument.endswith(tuple(map(escaped, IGNORED))):
                raise ValueError(f"{call.name} in {self.root} is not understood by the harness")

    # Names.

    def _is_within(self, path):
        if not path:
            return False
        inside = path == self.root or path.startswith(self.root + "/")
        return inside and not is_ignored(path)

    def _location(self, path):
        """The folder of a path, and the name in it."""
        parts = [part for part in path[len(self.root):].split("/") if part]
        folder = ROOT
        for part in parts[:-1]:
            folder = self.folders[folder][part]
        return folder, parts[-1] if parts else None

    def _openat(self, call, path=None):
        path = call.opened or path
        self.open.pop(call.result, None)
        if not self._is_within(path):
            return
        folder, name = self._location(path)
        node = ROOT if name is None else self.folders[folder].get(name)
        if node is None:
            node = self._made(folder, name)
        elif "O_TRUNC" in call.arguments[2 if call.name == "openat" else 1]:
            self.operations.append(Truncate(node, 0))
        self.open[call.result] = node
        self.positions[call.result] = 0

    def _open(self, call):
        self._openat(call, call.path(0))

    def _made(self, folder, name, is_folder=False):
        self.last += 1
        node = self.folders[folder][name] = self.last
        if is_folder:
            self.folders[node] = {}
        self.operations.append(Make(folder, name, node, is_folder))
        return node

    def _close(self, call):
        self.open.pop(call.descriptor()[0], None)

    def _mkdirat(self, call):
        self._make_folder(call.path(1, 0))

    def _mkdir(self, call):
        self._make_folder(call.path(0))

    def _make_folder(self, path):
        if self._is_within(path):
            self._made(*self._location(path), is_folder=True)

    def _renameat(self, call):
        self._move(call.path(1, 0), call.path(3, 2))

    _renameat2 = _renameat

    def _rename(self, call):
        self._move(call.path(0), call.path(1))

    def _move(self, old, new):
        if not self._is_within(old) and not self._is_within(new):
            return
        (folder, name), (target, new_name) = self._location(old), self._location(new)
        if folder != target:
            raise ValueError(f"a rename from {old} to {new} is not understood by the harness")
        node = self.folders[folder][new_name] = self.folders[folder].pop(name)
        self.operations.append(Rename(folder, name, new_name, node))

    def _unlinkat(self, call):
        self._remove(call.path(1, 0))

    def _unlink(self, call):
        self._remove(call.path(0))

    _rmdir = _unlink

    def _remove(self, path):
        if self._is_within(path):
            folder, name = self._location(path)
            self.operations.append(Remove(folder, name, self.folders[folder].pop(name)))

    # Contents.

    def _node(self, call):
        """The node of a call's first descriptor, and its number."""
        number, path = call.descriptor()
        return (self.open.get(number) if self._is_within(path) else None), number

    def _write(self, call):
        node, number = self._node(call)
        if number == 1:
            for line in call.data(1)[: call.result].decode().splitlines():
                self.operations.append(Said(line))
        elif node is not None:
            offset = self.positions[number]
            self.positions[number] += call.result
            self.operations.append(Write(node, offset, call.data(1)[: call.result]))

    def _pwrite64(self, call):
        node, _ = self._node(call)
        if node is not None:
            data = call.data(1)[: call.result]
            self.operations.append(Write(node, call.number(3), data))

    def _lseek(self, call):
        node, number = self._node(call)
        if node is not None:
            self.positions[number] = call.result

    def _ftruncate(self, call):
        node, _ = self._node(call)
        if node is not None:
            self.operations.append(Truncate(node, call.number(1)))

    def _fsync(self, call):
        node, _ = self._node(call)
        if node is not None:
            self.operations.append(Sync(node))

    _fdatasync = _fsync
