"""Judges what several processes did to one store by what each of them logged.

The logs are those of `storeworker traffic`. All writes carry values that no other write has, so
that each read says exactly which writes it saw.
"""

import collections
import dataclasses

NEVER = float("inf")
# Ends a line that was not written whole.
CUT = " cut\n"
SAVES = ("append", "write", "add", "raise", "transfer", "move", "drop")


@dataclasses.dataclass(eq=False, slots=True)
class Operation:
    """One operation of one process, from its beginning to its response."""

    process: int
    number: int
    began: int
    kind: str
    arguments: list
    # O saved or read, F failed, U unknown; U also where the process ended before the response.
    outcome: str = "U"
    ended: float = NEVER
    result: list = dataclasses.field(default_factory=list)

    def __str__(self):
        arguments = " ".join(self.arguments)
        return f"{self.process}.{self.number} ({self.kind} {arguments})"

    @property
    def happened(self):
        return self.outcome == "O"

    @property
    def can_have_happened(self):
        return self.outcome != "F"


@dataclasses.dataclass
class History:
    """All operations of all processes, and what the store holds at the end."""

    operations: list = dataclasses.field(default_factory=list)
    # How long each opening took, in nanoseconds.
    waits: list = dataclasses.field(default_factory=list)
    # How often operations and openings failed in which way, and the reason that was given first.
    codes: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    reasons: dict = dataclasses.field(default_factory=dict)
    final: dict = dataclasses.field(default_factory=dict)

    def of_kind(self, *kinds):
        return [one for one in self.operations if one.kind in kinds]

    @property
    def saves(self):
        """How many saves were acknowledged."""
        return sum(one.happened and one.kind in SAVES for one in self.operations)

    def note_failure(self, code, reason):
        self.codes[code] += 1
        self.reasons.setdefault(code, " ".join(reason))

    @property
    def longest_wait(self):
        """The seconds that the slowest response or opening took."""
        responses = (one.ended - one.began for one in self.operations if one.ended != NEVER)
        return max([*responses, *self.waits], default=0) / 1e9


def read_log(process, lines, history):
    """Adds what a process logged; a line that was cut by a kill counts for nothing."""
    pending = {}
    for line in lines:
        if not line.endswith("\n") or line.endswith(CUT):
            continue
        match line.split():
            case ["I", number, time, kind, *arguments]:
                one = Operation(process, int(number), int(time), kind, arguments)
                pending[one.number] = one
                history.operations.append(one)
            case ["O" | "F" | "U" as outcome, number, time, *result]:
                one = pending.pop(int(number))
                one.outcome, one.result = outcome, result
                if outcome != "O":
                    history.note_failure(result[0], result[1:])
                # What is unknown may still come to be at any later time.
                one.ended = NEVER if outcome == "U" else int(time)
            case ["W", _, time]:
                history.waits.append(int(time))
            case ["N", _, code, *reason]:
                history.note_failure(code, reason)


def read_final(lines, history):
    """Adds what the store held at the end; returns what it found broken itself."""
    final, broken = history.final, []
    for line in lines:
        word, *rest = line.split()
        if word == "LISTS":
            final["lists"] = read_lists(rest)
        elif word in ("REGISTERS", "COUNTERS"):
            final[word.lower()] = {int(key): int(value) for key, value in pairs(rest)}
        elif word == "HISTORY":
            final["transactions"] = rest
        elif word == "SUM":
            final["sum"] = int(rest[0])
        elif word == "BROKEN":
            broken.append(" ".join(rest))
        elif word == "DONE":
            final["done"] = True
    if "done" not in final:
        broken.append("the store could not be read at the end")
    return broken


def pairs(words):
    return (word.split("=") for word in words)


def read_lists(words):
    """Lists as `3=1,2` by number."""
    return {
        int(key): [int(value) for value in values.split(",")] if values else []
        for key, values in pairs(words)
    }
