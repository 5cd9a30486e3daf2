"""A disk that received operations, and what may be on it when power is lost.

Two models of how a file system keeps the names in its folders:
- `journal`: changes of names reach the disk in their order, and bringing a new file to the disk
  brings all changes of names before it (ext4, xfs, btrfs, APFS);
- `posix`: any of the changes since a folder was brought to the disk may be there or not.
In both, what was written to a file since it was brought to the disk may be there, or not, or in
part, each write by itself.
"""

import dataclasses
import random

from operations import ROOT, Make, Remove, Rename, Sync, Truncate, Write

MODELS = ("journal", "posix")
SECTOR = 512

KEPT = ("kept", 0)
LOST = ("lost", 0)


@dataclasses.dataclass(slots=True)
class Choice:
    """What became of each pending operation.

    A fate is a word and a number: `kept`, `lost`, `cut` (so many bytes of it are there), `mixed`
    (some sectors, by a seed), `zero` (the file has its new size, but not the bytes), `noise` (and
    other bytes instead, by a seed).
    """

    names: frozenset
    fate: tuple = KEPT
    fates: dict = dataclasses.field(default_factory=dict)

    def fate_of(self, index):
        return self.fates.get(index, self.fate)


class Disk:
    """What is on a disk for certain, and what is pending."""

    def __init__(self, tree, model):
        self.model = model
        self.folders = {node: dict(names) for node, names in tree.folders.items()}
        self.contents = {node: bytearray(content) for node, content in tree.contents.items()}
        self.names = []
        self.data = []

    def perform(self, operation):
        match operation:
            case Make() | Rename() | Remove():
                if isinstance(operation, Make) and operation.is_folder:
                    self.folders[operation.node] = {}
                self.names.append(operation)
            case Write() | Truncate():
                self.data.append(operation)
            case Sync(node) if node in self.folders:
                self._settle_names(node)
            case Sync(node):
                self._settle_data(node)

    def _settle_names(self, folder):
        pending = []
        for operation in self.names:
            if self.model == "journal" or operation.folder == folder:
                change_names(self.folders, operation)
            else:
                pending.append(operation)
        self.names = pending

    def _settle_data(self, node):
        content = self.contents.setdefault(node, bytearray())
        for operation in self.data:
            if operation.node == node:
                change_content(content, operation, KEPT)
        self.data = [operation for operation in self.data if operation.node != node]
        if self.model == "journal":
            last = max((i for i, op in enumerate(self.names) if op.node == node), default=-1)
            for operation in self.names[: last + 1]:
                change_names(self.folders, operation)
            del self.names[: last + 1]

    def state(self, choice):
        """The files that there are after a choice, None for a folder, by their paths."""
        folders = self.folders
        if choice.names:
            folders = {node: dict(names) for node, names in folders.items()}
            for index in sorted(choice.names):
                change_names(folders, self.names[index])
        changes = {}
        for index, operation in enumerate(self.data):
            fate = choice.fate_of(index)
            if fate != LOST:
                changes.setdefault(operation.node, []).append((operation, fate))
        files = {}

        def walk(folder, prefix):
            for name, node in folders[folder].items():
                if node in folders:
                    files[prefix + name] = None
                    walk(node, f"{prefix}{name}/")
                    continue
                content = bytearray(self.contents.get(node, b""))
                for operation, fate in changes.get(node, ()):
                    change_content(content, operation, fate)
                files[prefix + name] = content

        walk(ROOT, "")
        return files


def change_names(folders, operation):
    match operation:
        case Make(folder, name, node):
            folders[folder][name] = node
        case Rename(folder, name, new_name, node):
            folders[folder].pop(name, None)
            folders[folder][new_name] = node
        case Remove(folder, name):
            folders[folder].pop(name, None)


def change_content(content, operation, fate):
    """Changes the content of a file as far as an operation reached the disk."""
    if isinstance(operation, Truncate):
        if operation.size <= len(content):
            del content[operation.size:]
        else:
            content.extend(bytes(operation.size - len(content)))
        return
    word, number = fate
    data, offset = operation.data, operation.offset
    end = offset + len(data)
    if word == "cut":
        data = data[:number]
    if word in ("zero", "noise"):
        # A size without the bytes is possible where the file grew, and only there.
        size = max(0, end - max(len(content), offset))
        data = bytes(size) if word == "zero" else random.Random(number).randbytes(size)
        offset = end - size
    if not data:
        return
    before = len(content)
    if before < offset + len(data):
        content.extend(bytes(offset + len(data) - before))
    if word == "mixed":
        _mix(content, offset, data, random.Random(number))
    else:
        content[offset:offset + len(data)] = data


def _mix(content, offset, data, numbers):
    """Writes some of the sectors that data is in."""
    start = 0
    while start < len(data):
        end = min(len(data), start + SECTOR - (offset + start) % SECTOR)
        if numbers.random() < 0.5:
            content[offset + start:offset + end] = data[start:end]
        start = end
