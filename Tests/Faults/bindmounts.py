"""A store's file mounted by itself, as containers do: one file, two names, two logs, two locks.

Who opens the file by such a name must be refused, with the advice to mount the folder; a mounted folder is as
good as the folder. Nothing that was acknowledged may be lost, whoever opens first.
"""

import contextlib
import itertools
import pathlib

import bare
import mounts
from accounts import Violation, play_all
from harness import STORES, SUFFIXES
from talker import Talker
from trials import Base
from worker import run_arguments

SITUATIONS = ("another has the store open", "another had it open", "a log is left", "alone")


@contextlib.contextmanager
def mounted_file(original, target):
    """A file that is the same as another, by a mount."""
    target.parent.mkdir(exist_ok=True)
    target.touch()
    mounts.call("mount", "--bind", original, target)
    try:
        yield target
    finally:
        mounts.call("umount", target)


class FileCase:
    """The store's file alone is mounted in another folder."""

    def __init__(self, harness, kind, situation, is_reader, base):
        self.harness = harness
        self.kind = kind
        self.situation = situation
        self.is_reader = is_reader
        self.base = base
        use = "read" if is_reader else "written"
        self.name = f"{kind}: its file mounted by itself is {use}, {situation}"

    def __call__(self, play, verifier):
        folder = self.harness.folder(self.name.replace(" ", "-").replace(":", ""))
        self.base.copy(folder)
        name = f"s.{SUFFIXES[self.kind]}"
        url = self.harness.url(self.kind, folder, timeout=0.1)
        other = folder.with_name(folder.name + "-mounted")
        with Talker(self.harness, url) as owner:
            if self.situation != "alone":
                play.want("owner", owner, "open", "ACK")
                play.save("owner", owner, "put 50", "ACK")
            if self.situation == "another had it open":
                play.want("owner", owner, "close", "ACK")
            if self.situation == "a log is left":
                owner.kill()
            with mounted_file(folder / name, other / name):
                self.visit(play, other)
                if self.situation == "another has the store open":
                    play.save("owner", owner, "put 51", "ACK")
                    play.want("owner", owner, "close", "ACK")
        play.judge(verifier, url)

    def visit(self, play, other):
        options = {"readonly": "yes"} if self.is_reader else {}
        url = self.harness.url(self.kind, other, timeout=0.3, **options)
        with Talker(self.harness, url) as visitor:
            play.want("visitor", visitor, "open", "NAK storeNotTrusted")
        run = self.harness.run(run_arguments(self.harness, url, "put 1"))
        said = run.stderr.decode(errors="replace")
        if "mount" not in said or "folder" not in said:
            raise Violation(f"the advice to mount the folder is missing: {said.strip()}")
        left = sorted(path.name for path in other.iterdir())
        if left != [f"s.{SUFFIXES[self.kind]}"]:
            raise Violation(f"what was refused has left files: {left}")


class FolderCase:
    """The store's folder is mounted elsewhere, which is fine."""

    def __init__(self, harness, kind, is_mounted_first, base):
        self.harness = harness
        self.kind = kind
        self.is_mounted_first = is_mounted_first
        self.base = base
        order = "before" if is_mounted_first else "after"
        self.name = f"{kind}: its folder is mounted elsewhere and opened there {order} here"

    def __call__(self, play, verifier):
        folder = self.harness.folder(self.name.replace(" ", "-").replace(":", ""))
        self.base.copy(folder)
        with mounts.view(pathlib.Path(f"{folder}-mounted"), folder) as other:
            paths = [folder, other][:: -1 if self.is_mounted_first else 1]
            urls = [self.harness.url(self.kind, path, timeout=0.1) for path in paths]
            with Talker(self.harness, urls[0]) as first, Talker(self.harness, urls[1]) as second:
                play.want("first", first, "open", "ACK")
                play.save("first", first, "put 50", "ACK")
                wanted = "NAK storeBusy" if self.kind == "json" else "ACK"
                play.want("second", second, "open", wanted)
                if self.kind == "sqlite":
                    play.save("second", second, "put 51", "ACK")
                    play.save("first", first, "blob 60 20000", "ACK")
                play.want("first", first, "close", "ACK")
                play.want("second", second, "open", "ACK")
                play.save("second", second, "put 52", "ACK")
                play.want("second", second, "close", "ACK")
        play.judge(verifier, self.harness.url(self.kind, folder))


def cases(harness):
    for kind in STORES:
        base = Base.closed(harness, kind)
        for situation, is_reader in itertools.product(SITUATIONS, (False, True)):
            yield FileCase(harness, kind, situation, is_reader, base)
        for is_mounted_first in (False, True):
            yield FolderCase(harness, kind, is_mounted_first, base)


def control(harness):
    """Plain SQLite must lose saves, or the database, through such a name."""
    folder = harness.folder("control")
    with bare.BareTalker(harness, f"{folder}/s.db") as owner:
        for number in range(3):
            owner.ask("open" if number == 0 else f"put {number}")
        with mounted_file(folder / "s.db", folder / "mounted" / "s.db") as mounted:
            found = bare.counts(mounted)
            with bare.BareTalker(harness, str(mounted)) as other:
                responses = [other.ask("open"), *[other.ask(f"put {number}") for number in (3, 4)]]
                other.ask("close")
        owner.ask("close")
    lost = {1, 2} - found or responses.count("ACK") > len({3, 4} & bare.counts(folder / "s.db"))
    harness.count("control: plain SQLite loses saves through such a name", int(bool(lost)), 1)


def run(harness):
    try:
        control(harness)
        pairs = [(case.name, case) for case in cases(harness)]
        harness.count("mounted files and folders", play_all(harness, "bindmounts", pairs),
                      len(pairs))
    except OSError as error:
        harness.skip("mounted files", str(error))
