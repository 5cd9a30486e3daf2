"""Forks at every point of a program with a store: before, beside and in the middle of its saves.

Parent and child both go on, in every order, until the last of them ends. A child may be refused;
what either of them acknowledges must be there in the end, and a child that leaves, or becomes another
program, must not be noticed by its parent.
"""

import itertools
import os
import shutil
import time

from accounts import Violation, play_all
from harness import STORES
from openfiles import calls
from talker import Branch, Talker
from trials import Base
from tracing import CHANGING

# Where the parent is when it forks.
POINTS = ("before opening", "after opening", "after a save", "with unsaved changes",
          "after reading", "after closing")
# What the child does, in two halves.
CHILDREN = ("leaves", "ends", "saves", "opens", "closes and opens", "becomes a program",
            "forks and opens")
# Who does what first.
ORDERS = ("child first", "parent closes first", "parent is killed first")
# What happens to a child in the middle of a save, and at how many calls in CI.
ORPHANS = ("leave", "become")
MOMENTS = 12
DELAY = 120_000


class Case:
    """A fork at a point, with what the child does, and in which order."""

    def __init__(self, harness, kind, point, child, order, base):
        self.harness = harness
        self.kind = kind
        self.point = point
        self.child = child
        self.order = order
        self.base = base
        self.name = f"{kind}: a fork {point}, the child {child}, {order}"

    def __call__(self, play, verifier):
        folder = self.harness.folder(self.name.replace(" ", "-").replace(":", ""))
        self.base.copy(folder)
        url = self.harness.url(self.kind, folder, timeout=0.1)
        with Talker(self.harness, url) as parent:
            self.come_to_point(play, parent)
            with Branch(parent, folder.with_suffix(".child")) as child:
                self.begin(play, child, folder)
                if self.order == "child first":
                    self.go_on(play, child)
                    self.end(play, parent)
                else:
                    if self.order == "parent closes first":
                        self.end(play, parent)
                        if self.child == "saves":
                            # It has not opened anything itself: it keeps nobody out.
                            self.open_anew(play, url)
                    parent.kill()
                    play.story.append("the parent has ended")
                    self.go_on(play, child)
        self.open_anew(play, url)
        play.judge(verifier, url)

    def come_to_point(self, play, parent):
        if self.point == "before opening":
            return
        play.want("parent", parent, "open", "ACK")
        if self.point == "after opening":
            return
        play.save("parent", parent, "put 50", "ACK")
        match self.point:
            case "with unsaved changes":
                play.ask("parent", parent, "change 9 put 51")
            case "after reading":
                play.ask("parent", parent, "items")
            case "after closing":
                play.want("parent", parent, "close", "ACK")

    def begin(self, play, child, folder):
        """What the child does at once."""
        inherits = self.point not in ("before opening", "after closing")
        if self.child == "leaves":
            child.send("leave")
            self.expect_end(play, child)
        elif self.child == "ends":
            child.requests.close()
            self.expect_end(play, child)
        elif self.child == "saves" and inherits:
            # It inherits a store that is not its own.
            play.save("child", child, "put 60", "NAK storeClosed")
            play.ask("child", child, "drop")
        elif self.child == "becomes a program":
            child.become()
        elif self.child == "forks and opens":
            with Branch(child, folder.with_suffix(".grandchild")) as grandchild:
                play.ask("grandchild", grandchild, "open")
                play.save("grandchild", grandchild, "put 59")
        elif self.child == "closes and opens":
            play.want("child", child, "close", "ACK")
        if self.child in ("opens", "closes and opens", "becomes a program", "forks and opens"):
            self.open_in(play, child, inherits)

    def open_in(self, play, child, inherits):
        opened = play.ask("child", child, "open")
        # A store that nobody has open, or that others may have open too, can be opened.
        is_busy = inherits and self.kind == "json" and self.order == "child first"
        if self.child == "becomes a program" or not inherits:
            wanted = ("NAK storeBusy", "ACK") if is_busy or self.kind == "json" else ("ACK",)
            if opened not in wanted:
                raise Violation(f"the child receives {opened}, not {' or '.join(wanted)}")
        if opened == "ACK":
            play.save("child", child, "put 61")

    def go_on(self, play, child):
        """What the child does later, while or after its parent lives."""
        if child.has_ended:
            return
        play.save("child", child, "blob 62 20000")
        play.ask("child", child, "drop")
        child.requests.close()
        self.expect_end(play, child)

    def end(self, play, parent):
        """The parent saves once more, and closes; nothing that its child did may keep it from that."""
        if self.point in ("before opening", "after closing"):
            opened = play.ask("parent", parent, "open")
            if opened == "NAK storeBusy" and self.kind == "json" and self.order != "child first":
                # The child has it.
                return
            if opened != "ACK":
                raise Violation(f"the parent cannot open the store: {opened}")
        if self.point == "with unsaved changes":
            play.ask("parent", parent, "drop")
        play.save("parent", parent, "put 52", "ACK")
        play.save("parent", parent, "blob 53 20000", "ACK")
        play.want("parent", parent, "close", "ACK")

    def expect_end(self, play, child):
        if not child.wait():
            raise Violation("the child does not end")
        play.story.append("the child has ended")

    def open_anew(self, play, url):
        """All have ended: nobody may be kept out by a lock that one of them left."""
        with Talker(self.harness, url) as heir:
            play.want("an heir", heir, "open", "ACK")
            play.save("an heir", heir, "put 90", "ACK")


def cases(harness, kind):
    base = Base.closed(harness, kind)
    for parts in itertools.product(POINTS, CHILDREN, ORDERS):
        case = Case(harness, kind, *parts, base)
        yield case.name, case


class Storm:
    """A save in the middle of which another thread forks, a call of it being held up meanwhile."""

    def __init__(self, harness, kind, base, call, orphan, step):
        self.harness = harness
        self.kind = kind
        self.base = base
        self.call = call
        self.orphan = orphan
        self.step = step
        self.is_met = False
        self.name = f"{kind}: a fork while {call} of '{step}' takes long, the child is to {orphan}"

    def __call__(self, play, verifier):
        folder = self.harness.folder(f"{self.kind}-{self.call.name}-{self.call.number}-{self.orphan}")
        self.base.copy(folder)
        url = self.harness.url(self.kind, folder, timeout=0.1)
        pipe = folder.with_suffix(".orders")
        os.mkfifo(pipe)
        slow = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={self.call.name}", "-e",
                f"inject={self.call.name}:delay_enter={DELAY}:when={self.call.number}")
        with open(pipe, "r+b", buffering=0) as orders, Talker(self.harness, url, slow) as parent:
            play.want("parent", parent, f"brancher {pipe}", "ACK")
            play.want("parent", parent, "open", "ACK")
            parent.send(f"do {play.account.next} {self.step}")
            began = time.monotonic()
            time.sleep(DELAY / 3e6)
            orders.write(f"{self.orphan}\n".encode())
            response = parent.response()
            self.is_met = time.monotonic() - began > DELAY / 1e6
            play.story.append(f"{self.step}: {response}")
            if response != "ACK":
                raise Violation(f"the save beside a fork results in {response}")
            play.account.note(self.step)
            play.save("parent", parent, "put 52", "ACK")
            play.want("parent", parent, "close", "ACK")
        play.judge(verifier, url)
        shutil.rmtree(folder)


def storms(harness, kind):
    """A save of a row and one of a large value, with each of their calls that change files."""
    base = Base.closed(harness, kind)
    found = [call for call in calls(harness, kind, base) if call.name in CHANGING]
    # `put 50` is the first that the worker does there, after `open`.
    found = [call for call in found if call.said == 1]
    pairs = list(itertools.product(found, ORPHANS))
    if not harness.is_release:
        pairs = harness.random("storms", kind).sample(pairs, min(MOMENTS, len(pairs)))
    return [Storm(harness, kind, base, call, orphan, "put 50") for call, orphan in pairs]


def run(harness):
    if not shutil.which("strace"):
        harness.skip("forks in the middle of a save", "strace is not there")
        return
    for kind in STORES:
        plays = list(cases(harness, kind))
        harness.count(f"{kind}: forks between saves", play_all(harness, "forks", plays), len(plays))
        met = storms(harness, kind)
        pairs = [(storm.name, storm) for storm in met]
        done = play_all(harness, "forks", pairs, workers=4)
        harness.count(f"{kind}: forks beside a save", done, len(pairs))
        harness.count(f"{kind}: of these, in the middle of it", sum(storm.is_met for storm in met),
                      len(met) // 2)
