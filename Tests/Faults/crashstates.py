"""The states in which a disk may be when power is lost during a recorded run."""

import dataclasses
import hashlib

from disk import KEPT, LOST, MODELS, SECTOR, Choice, Disk
from operations import Said, Truncate
from promises import Promise


@dataclasses.dataclass(slots=True)
class CrashState:
    """What is on the disk, and what the program had said."""

    files: dict
    allowed: str
    content: bytes
    model: str
    position: int
    choice: Choice

    def description(self, operations):
        """Where power was lost, and what became of what was pending."""
        last = operations[self.position - 1] if self.position else "nothing"
        return f"model {self.model}, after operation {self.position} ({shortened(last)})"


def shortened(operation):
    text = repr(operation)
    return text if len(text) <= 100 else text[:97] + "..."


def fingerprint(files):
    """What tells states apart: all names and contents."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(files):
        content = files[path]
        size = "folder" if content is None else len(content)
        digest.update(f"{path}\0{size}\0".encode())
        digest.update(content or b"")
    return digest.digest()


def crash_states(recording, density, numbers, models=MODELS, allows_prefix=False):
    """All states that differ, at most `density` of each moment and model, made one by one.

    Below one it is the chance of a moment to be looked at. What everything and what nothing of the
    pending operations leads to is always among them; the others are drawn.
    """
    seen = set()
    for model in models:
        disk = Disk(recording.tree, model)
        promise = Promise(recording.allowed, allows_prefix)
        for position in range(len(recording.operations) + 1):
            if position:
                operation = recording.operations[position - 1]
                if isinstance(operation, Said):
                    promise.hear(operation.line)
                else:
                    disk.perform(operation)
            if position < recording.first or promise.is_void or numbers.random() >= density:
                continue
            for choice in choices(disk, max(2, round(density)), numbers):
                files = disk.state(choice)
                content = fingerprint(files)
                if (content, promise.text) not in seen:
                    seen.add((content, promise.text))
                    yield CrashState(files, promise.text, content, model, position, choice)


def choices(disk, count, numbers):
    """What may have become of a disk's pending operations: so many of the ways."""
    everything = frozenset(range(len(disk.names)))
    yield Choice(everything)
    if not disk.names and not disk.data:
        return
    yield Choice(frozenset(), LOST)
    drawn = systematic(disk, everything)
    if disk.model == "journal" and len(disk.data) == 0:
        # There are no more ways than these.
        yield from (Choice(names) for names in prefixes(disk.names))
        return
    count -= 2
    if len(drawn) > count:
        drawn = numbers.sample(drawn, count)
    yield from drawn
    for _ in range(count - len(drawn)):
        yield random_choice(disk, numbers)


def prefixes(names):
    return [frozenset(range(end)) for end in range(len(names) + 1)]


def systematic(disk, everything):
    """One thing wrong at a time: lost, kept alone, or torn; and each beginning in order."""
    found = [Choice(names, fate) for names in prefixes(disk.names) for fate in (KEPT, LOST)]
    if disk.model == "posix":
        found += [Choice(everything - {index}) for index in everything]
        found += [Choice(frozenset({index})) for index in everything]
    count = len(disk.data)
    for index, operation in enumerate(disk.data):
        found.append(Choice(everything, KEPT, {index: LOST}))
        found.append(Choice(everything, LOST, {index: KEPT}))
        found.append(Choice(everything, LOST, {earlier: KEPT for earlier in range(index)}))
        if isinstance(operation, Truncate):
            continue
        size = len(operation.data)
        for cut in {1, size // 2, size - 1, SECTOR - operation.offset % SECTOR}:
            if 0 < cut < size:
                found.append(Choice(everything, KEPT, {index: ("cut", cut)}))
        found.append(Choice(everything, KEPT, {index: ("zero", 0)}))
        found.append(Choice(everything, KEPT, {index: ("noise", index + count)}))
    return found


def random_choice(disk, numbers):
    """Several things wrong at once."""
    indices = range(len(disk.names))
    if disk.model == "journal":
        names = frozenset(range(numbers.randint(0, len(disk.names))))
    else:
        names = frozenset(index for index in indices if numbers.random() < 0.5)
    # Mostly kept, mostly lost, or a beginning in order: each finds other mistakes.
    share = numbers.choice((0.1, 0.5, 0.9))
    fates = {}
    for index, operation in enumerate(disk.data):
        if numbers.random() < share:
            continue
        fates[index] = random_fate(operation, numbers)
    return Choice(names, KEPT, fates)


def random_fate(operation, numbers):
    if isinstance(operation, Truncate):
        return LOST
    word = numbers.choice(("lost", "lost", "cut", "mixed", "zero", "noise"))
    if word == "cut":
        return (word, numbers.randint(0, len(operation.data)))
    return (word, numbers.getrandbits(32))
