"""System calls of a worker on its store, by strace: which there are, and making one of them fail.

`strace` counts the calls of a name within the thread, whatever they are about. So a traced run
without a fault says which numbers the calls on the store have, and a run with a fault is given
such a number, which works for files of any name. The worker makes its calls on one thread, in an
order that follows from the script alone.
"""

import dataclasses
import re

from worker import command_line

ENTRY = re.compile(r"^(\d+) +(\w+)\((.*)")
SAID = re.compile(r'^1<[^>]*>, "(.*)\\n", \d+(?:\)| <unfinished)')

# What opens, changes or removes a file rather than asks about one.
CHANGING = {
    "openat", "mkdir", "mkdirat", "pwrite64", "write", "fsync", "fdatasync", "ftruncate",
    "fallocate", "rename", "renameat", "renameat2", "unlink", "unlinkat", "fchmod", "link",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Fault:
    """What becomes of a call, and with `is_sticky` of all later ones of its name."""

    name: str
    action: str
    is_sticky: bool = False

    @property
    def kills(self):
        return self.action == "signal=KILL"

    def __str__(self):
        return self.name + (" from there on" if self.is_sticky else "")


KILL = Fault("KILL", "signal=KILL")


def error(name, is_sticky=False):
    """A fault that reports an error instead of doing anything."""
    return Fault(name, f"error={name}", is_sticky)


@dataclasses.dataclass(frozen=True)
class Call:
    """A system call on a store: the `number`-th of its name that the process makes."""

    name: str
    number: int
    # What the worker had said last: nothing, OPEN, TRY 3, ACK 3 …
    after: str
    text: str
    # How many lines it had said.
    said: int = 0
    # The thread that makes it, which `number` is about.
    thread: str = ""

    @property
    def gives_back(self):
        """Whether it closes or unlocks."""
        is_unlocking = "F_SETLK, {l_type=F_UNLCK" in self.text or "LOCK_UN" in self.text
        return self.name == "close" or is_unlocking

    def __str__(self):
        return f"{self.name} {self.number}"


class Tracer:
    """Runs workers under strace; one after the other, with a trace file of its own."""

    def __init__(self, harness, folder):
        self.harness = harness
        self.folder = str(folder)
        self.trace = f"{folder}.trace"

    def calls(self, arguments, **options):
        """The calls that a run makes on files in the folder, and the run itself."""
        traced = ["-s", "200", "-e", "trace=%file,%desc"]
        run = self.harness.run(self._strace(traced) + arguments, **options)
        return list(self._store_calls()), run

    def _strace(self, options):
        return ["strace", "-f", "-qq", "-y", "-e", "signal=none", "-o", self.trace, *options]

    def _store_calls(self):
        numbers = {}
        after, count = "", 0
        for line in self._lines():
            entry = ENTRY.match(line)
            if not entry:
                continue
            process, name, text = entry.groups()
            numbers[process, name] = number = numbers.get((process, name), 0) + 1
            said = SAID.match(text) if name == "write" else None
            if said:
                after, count = said[1], count + 1
            elif self._is_about_store(name, text):
                yield Call(name, number, after, text, count, process)

    def _is_about_store(self, name, text):
        # A message on standard error may name the store too.
        return name != "execve" and self.folder in text and not text.startswith(("1<", "2<"))

    def _lines(self):
        with open(self.trace, errors="replace") as lines:
            return lines.read().splitlines()

    def options(self, call, fault):
        """What makes strace fail a call."""
        when, paths = f"{call.number}{'+' if fault.is_sticky else ''}", []
        if call.name == "mmap" and fault.is_sticky:
            # All other memory comes from this call too.
            name = re.search(r"/([^/<>]*)>", call.text)[1]
            when, paths = "1+", ["-P", f"{self.folder}/{name}"]
        # The filter in the kernel makes it faster, but takes no signals.
        speed = [] if fault.kills else ["--seccomp-bpf"]
        inject = f"inject={call.name}:{fault.action}:when={when}"
        return [*speed, *paths, "-e", f"trace={call.name}", "-e", inject]

    def inject(self, arguments, call, fault, timeout=20):
        """Runs with a fault.

        Returns the run, and whether the fault met a call on the store.
        """
        run = self.harness.run(
            self._strace(self.options(call, fault)) + arguments, timeout=timeout
        )
        for line in self._lines():
            is_met = "(INJECTED)" in line or (fault.kills and line.rstrip().endswith("= ?"))
            if is_met:
                return run, self.folder in line and call.name in line
        return run, False

    def command(self, arguments, call, fault):
        """What runs with a fault by hand."""
        line = ["strace", "-f", "-qq", "-o", "/dev/null"]
        return command_line(line + self.options(call, fault) + arguments)
