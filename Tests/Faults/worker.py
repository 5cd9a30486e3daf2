"""Running `storeworker`, reading what it said, and asking it what a store holds."""

import dataclasses
import os
import select
import shlex
import subprocess


@dataclasses.dataclass
class Outcome:
    """What a run of a script said about its steps."""

    is_open: bool = False
    has_ended: bool = False
    acknowledged: int = 0
    acknowledgements: int = 0
    refusals: list = dataclasses.field(default_factory=list)
    # The step that was begun last, and what was said last about it.
    tried: int = 0
    last_word: str = ""
    attempts: int = 0
    # Whether a store that could not tell what became of that step was left: what another one says
    # of its own try settles nothing, unless it succeeds.
    is_left_in_doubt: bool = False

    @property
    def allowed(self):
        """The states in which the store may be now."""
        is_open = self.last_word in ("TRY", "outcomeUnknown") or self.is_left_in_doubt
        in_doubt = self.tried > self.acknowledged and is_open
        return [self.acknowledged] + ([self.tried] if in_doubt else [])

    @property
    def allowed_text(self):
        return ",".join(map(str, self.allowed))


def read_outcome(output, before=0):
    """Reads the lines of a run that found the store in the state `before`."""
    outcome = Outcome(acknowledged=before, tried=before)
    # A line without its end was not written whole, and counts for nothing.
    for line in output.decode(errors="replace").split("\n")[:-1]:
        words = line.split()
        match words:
            case ["OPEN"]:
                outcome.is_open = True
            case ["END"]:
                outcome.has_ended = True
            case ["TRY", number]:
                is_new = int(number) != outcome.tried
                outcome.attempts = 1 if is_new else outcome.attempts + 1
                outcome.is_left_in_doubt = outcome.is_left_in_doubt and not is_new
                outcome.tried, outcome.last_word = int(number), "TRY"
            case ["ACK", number]:
                outcome.acknowledged, outcome.last_word = int(number), "ACK"
                outcome.acknowledgements += 1
            case ["NAK", number, code]:
                outcome.refusals.append((int(number), code))
                outcome.last_word = code
                # After the second try the worker opens the store anew.
                outcome.is_left_in_doubt |= code == "outcomeUnknown" and outcome.attempts > 1
    return outcome


def run_arguments(harness, url, script, *options):
    """The command line of a run."""
    return [harness.worker, "run", url, script, *map(str, options)]


def is_orderly(code):
    """Whether an exit code is one that the worker chose, and no trap, kill or hang."""
    return code in (0, 3, 4)


def command_line(arguments):
    """Arguments as a line for a shell."""
    return shlex.join(map(str, arguments))


class Verifier:
    """A worker that verifies one store after the other, which is much faster than one each.

    A store that traps it, or keeps it busy too long, is reported as such and the next one gets a
    new worker.
    """

    patience = 30

    def __init__(self, harness):
        self.harness = harness
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None

    def _start(self):
        self.process = subprocess.Popen(
            [self.harness.worker, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.harness.environment,
        )

    def verdict(self, url, script, allowed):
        """One line that begins with `OK` when the store is in an allowed state."""
        if not self.process:
            self._start()
        try:
            self.process.stdin.write(f"{url}\t{script}\t{allowed}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            self.stop()
            return "TRAPPED before it was asked"
        line = self._read_line()
        if line is None:
            self.stop()
            return f"HUNG for more than {self.patience} s"
        if not line.endswith(b"\n"):
            self.process.wait()
            code = self.process.returncode
            self.stop()
            return f"TRAPPED with code {code}"
        return line.decode(errors="replace").rstrip("\n")

    def _read_line(self):
        """A line, as much as there is when the process ends, or None when it does not respond."""
        descriptor = self.process.stdout.fileno()
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([descriptor], [], [], self.patience)
            if not ready:
                return None
            part = os.read(descriptor, 65_536)
            if not part:
                return line
            line += part
        return line

    def command(self, url, script, allowed):
        """What verifies a store by hand."""
        return command_line([self.harness.worker, "verify", url, script, allowed])
