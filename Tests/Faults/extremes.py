"""Sizes, counts and numbers in files at their extremes, in files of less than a megabyte.

A store is opened and read in every way there is, with its models and without them. Whatever a file
says of itself, that must end within ten seconds and 256 MB of memory, with rows or with a typed error.
"""

import collections
import concurrent.futures
import dataclasses
import os
import select
import shutil
import subprocess
import time

import extreme_databases
import extreme_documents
from harness import STORES
from worker import command_line

SECONDS = 10
KIBIBYTES = 256 << 10
# A file that takes longer, or more, is not waited for; the others have to go on.
PATIENCE = SECONDS + 5
MOST = 2 << 30
LARGEST = 1 << 20
MAKERS = {"json": extreme_documents, "sqlite": extreme_databases}
# So many of the files in which one number is another.
NUMBERS, RELEASE_NUMBERS = 500, 1_000_000


@dataclasses.dataclass
class Response:
    """What came of a file."""

    words: list
    kibibytes: int
    milliseconds: int

    def wrong(self, kibibytes=KIBIBYTES, milliseconds=SECONDS * 1000):
        """What is wrong with it, None for nothing."""
        odd = [word for word in self.words if not word[0].islower()]
        if odd:
            return f"it ends with {odd[0]}"
        if self.kibibytes > kibibytes:
            return f"it takes {self.kibibytes >> 10} MB"
        if self.milliseconds > milliseconds:
            return f"it takes {self.milliseconds / 1000:.1f} s"
        return None


class Surveyor:
    """A worker that opens one store after the other; one that stops is followed by another."""

    def __init__(self, harness, folder, kind):
        self.harness = harness
        self.folder = folder
        self.url = harness.url(kind, folder)
        self.process = None

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None

    def look(self, files):
        """Replaces the store with files, and returns what came of it."""
        shutil.rmtree(self.folder)
        self.folder.mkdir(mode=0o700)
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.write_bytes(content)
        if not self.process:
            self.process = subprocess.Popen(
                ["prlimit", f"--data={MOST}", self.harness.worker, "survey"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=self.harness.environment)
        began = time.monotonic()
        self.process.stdin.write(f"{self.url}\n".encode())
        self.process.stdin.flush()
        line = self._line()
        milliseconds = int((time.monotonic() - began) * 1000)
        words = line.split()
        if line.endswith("\n") and len(words) == 4:
            return Response(words[:2], int(words[2]), int(words[3]))
        self.process.kill()
        code = self.process.wait()
        self.stop()
        word = "HUNG" if milliseconds > PATIENCE * 900 else f"CODE{code}"
        return Response([word], 0, milliseconds)

    def _line(self):
        line, end = b"", time.monotonic() + PATIENCE
        while not line.endswith(b"\n"):
            rest = end - time.monotonic()
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, rest))
            part = os.read(self.process.stdout.fileno(), 65_536) if ready else b""
            if not part:
                break
            line += part
        return line.decode()


class Survey:
    """All files of a kind of store, in as many workers as there are processors."""

    def __init__(self, harness, kind):
        self.harness = harness
        self.kind = kind
        self.words = collections.Counter()
        self.most = collections.Counter()
        self.failures = 0

    def exhibits(self):
        """The files of a store that was closed, and of one that was not."""
        for state in ((), ("open",)):
            folder = self.harness.folder(f"{self.kind}-exhibit-{len(state)}")
            arguments = [self.harness.worker, "exhibit", self.harness.url(self.kind, folder), *state]
            run = self.harness.run(arguments)
            if run.returncode != 0:
                raise RuntimeError(f"no store to begin with: {run.stderr.decode()}")
            yield {str(path.relative_to(folder)): path.read_bytes()
                   for path in folder.rglob("*")
                   if path.is_file() and not path.name.endswith((".lock", "-shm"))}

    def run(self):
        closed, left = self.exhibits()
        maker = MAKERS[self.kind]
        crafted = list(maker.crafted(closed, left))
        numbers = list(maker.numbers(closed, left))
        most = RELEASE_NUMBERS if self.harness.is_release else NUMBERS
        if len(numbers) > most:
            numbers = self.harness.random(self.kind).sample(numbers, most)
        work = [("as it was", lambda: closed), ("as it was left", lambda: left)]
        work += crafted + numbers
        shares = [work[number::2] for number in range(2)]
        with concurrent.futures.ThreadPoolExecutor(2) as executor:
            list(executor.map(self.share, range(2), shares))
        self.harness.count(f"{self.kind}: crafted files opened and read", len(crafted), 20)
        self.harness.count(f"{self.kind}: files with one number at an extreme", len(numbers), most
                           if not self.harness.is_release else 1_000)
        words = ", ".join(f"{word} {count}" for word, count in self.words.most_common(8))
        print(f"    {words}; at most {self.most['KiB'] >> 10} MB, {self.most['ms'] / 1000:.1f} s",
              flush=True)
        for word in ("read", "storeDamaged"):
            if not self.words[word]:
                self.harness.fail(f"no file of {self.kind} is '{word}': the files are no good", "")

    def share(self, number, work):
        surveyor = Surveyor(self.harness, self.harness.folder(f"{self.kind}-{number}"), self.kind)
        try:
            if number == 0:
                self.control(surveyor, work[0][1]())
            for name, make in work:
                files = make()
                large = [file for file, content in files.items() if len(content) > LARGEST]
                if large:
                    self.harness.fail(f"{name}: {large[0]} is too large for this part", "")
                self.judge(name, files, surveyor.look(files))
        finally:
            surveyor.stop()

    def control(self, surveyor, files):
        """A bound that no store can keep must be missed."""
        surveyor.look(files)
        response = surveyor.look(files)
        if response.wrong() or not response.wrong(kibibytes=1 << 10) or not response.wrong(milliseconds=0):
            self.harness.fail(f"the bounds bind nobody: {response}", "")

    def judge(self, name, files, response):
        self.words.update(response.words)
        self.most["KiB"] = max(self.most["KiB"], response.kibibytes)
        self.most["ms"] = max(self.most["ms"], response.milliseconds)
        wrong = response.wrong()
        if not wrong:
            return
        kept = self.harness.folder(f"kept-{self.kind}-{self.failures}")
        self.failures += 1
        for file, content in files.items():
            (kept / file).parent.mkdir(exist_ok=True)
            (kept / file).write_bytes(content)
        url = self.harness.url(self.kind, kept)
        command = f"echo {url} | {command_line([self.harness.worker, 'survey'])}"
        self.harness.fail(f"{self.kind}, {name}: {wrong}", command)


def run(harness):
    for kind in STORES:
        Survey(harness, kind).run()
