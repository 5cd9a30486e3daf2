"""The saves that workers were asked for, and those that were acknowledged."""

import concurrent.futures
import itertools

from trials import FIRST_COUNT, FIRST_STEPS
from worker import Verifier


class Violation(Exception):
    """A promise that was broken."""


class Account:
    """What was acknowledged since the store's base, and what may be claimed of it."""

    def __init__(self):
        # Each step, and whether it must be there.
        self.steps = []
        # The count that each item must have.
        self.items = {}

    @property
    def next(self):
        return FIRST_COUNT + len(self.steps) + 1

    def note(self, step, is_certain=True, is_claimed=True):
        if is_claimed:
            self.items[step.split()[1]] = self.next
        self.steps.append((step, is_certain))

    @property
    def last(self):
        return self.next - 1

    @property
    def scripts(self):
        """What may have been done, each with another choice of what is not certain."""
        choices = [(step,) if is_certain else (step, "fetch") for step, is_certain in self.steps]
        for steps in itertools.product(*choices):
            yield ";".join([FIRST_STEPS, *steps])

    def verdict(self, verifier, url):
        """What the verifier says of a store, the best of what may be."""
        for script in self.scripts:
            verdict = verifier.verdict(url, script, self.last)
            if verdict.startswith(("OK", "TRAPPED", "HUNG")):
                break
        return verdict


def is_save(step):
    return step.startswith(("put", "blob"))


class Play:
    """What is said in a dialogue with workers, each save with the number of its step."""

    def __init__(self):
        self.account = Account()
        self.story = []

    def ask(self, name, who, request):
        """Asks one of the workers; `name` is for the story."""
        response = who.ask(request)
        self.story.append(f"{name} {request}: {response}")
        if response in ("SILENT", "GONE"):
            raise Violation(f"{name} responds to {request} with {response}")
        return response

    def want(self, name, who, request, *wanted):
        """Asks, and insists on a response."""
        response = self.ask(name, who, request)
        if response not in wanted:
            raise Violation(f"{name} responds to {request} with {response}, not {' or '.join(wanted)}")
        return response

    def save(self, name, who, step, *wanted):
        """Has a worker save; what it acknowledges is noted."""
        response = self.ask(name, who, f"do {self.account.next} {step}")
        if response == "ACK":
            self.account.note(step)
        if wanted and response not in wanted:
            raise Violation(f"{name} responds to {step} with {response}, not {' or '.join(wanted)}")
        return response

    def judge(self, verifier, url):
        """Whether all that was acknowledged is there, and nothing else."""
        verdict = self.account.verdict(verifier, url)
        if not verdict.startswith("OK"):
            raise Violation(verdict)


def play_all(harness, part, plays, workers=2):
    """Plays plays, each a function by its name that is given a verifier; reports what is wrong.

    Returns how many went as they must.
    """

    def perform(pair):
        name, function = pair
        play = Play()
        with Verifier(harness) as verifier:
            try:
                function(play, verifier)
            except Violation as violation:
                return f"{name}: {violation}\n    {'; '.join(play.story)}"
        return None

    again = f"Scripts/test-faults {part} --seed {harness.seed}"
    done = 0
    with concurrent.futures.ThreadPoolExecutor(workers) as executor:
        # Failures are reported here: whoever stops at one must not stop in the middle of another play.
        for failure in executor.map(perform, plays):
            if failure:
                harness.fail(failure, again)
            else:
                done += 1
    return done
