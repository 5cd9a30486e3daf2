"""libFuzzer on whatever reads bytes from outside, with the address sanitizer.

The targets are in Tests/FuzzingTests. An input that traps, hangs, reads what is not its own or is
read wrongly fails; keep it in Tests/FuzzingTests/Regressions/TARGET, whose tests run it ever after.
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil

from harness import ROOT

# The targets with the executions of a CI run, and how many seconds of a release each may take.
TARGETS = {
    "json": 120_000, "columns": 80_000, "texts": 100_000, "identifier": 60_000, "search": 40_000,
    "storeURL": 60_000, "snapshot": 25_000, "schema": 20_000, "csv": 20_000, "document": 6_000,
    "rows": 2_500, "records": 1_500, "journal": 1_500, "cells": 2_500,
    "inflate": 100_000, "archive": 60_000, "model": 20_000, "coreData": 2_500, "fields": 60_000,
    "serverURL": 40_000,
}
GOALS = (500_000, 300_000_000)
RELEASE_SECONDS = 8 * 3600
# A CI run stops a target after this long, and then misses its goal.
PATIENCE = 240
LIMITS = ["-timeout=20", "-rss_limit_mb=1536", "-malloc_limit_mb=768", "-print_final_stats=1"]
FOLDER = ROOT / "Tests" / "FuzzingTests"
BUILD = [
    "swift", "build", "-c", "release", "--product", "fuzz", "--sanitize=fuzzer",
    "-Xswiftc", "-sanitize=fuzzer,address", "-Xswiftc", "-enable-testing",
]


def run(harness):
    targets = harness.fuzz_targets or list(TARGETS)
    if unknown := set(targets) - set(TARGETS):
        harness.fail(f"no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}", "")
        return
    program = build(harness)
    if not program:
        return
    with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
        done = list(pool.map(lambda name: Fuzzing(harness, program, name).run(), targets))
    is_whole = not harness.fuzz_targets and not harness.seconds
    harness.count("fuzz executions", sum(done), GOALS[harness.is_release] if is_whole else 0)


def build(harness):
    """Builds the fuzzer in a folder of its own; returns its path."""
    scratch = ROOT / ".build-fuzz"
    command = [*BUILD, "--package-path", str(ROOT), "--scratch-path", str(scratch)]
    variable = "OPENSWIFTDATA_FUZZING"
    harness.environment[variable] = "1"
    try:
        built = harness.run(command, timeout=1800)
    finally:
        del harness.environment[variable]
    if built.returncode == 0:
        harness.count("targets", len(TARGETS))
        return scratch / "release" / "fuzz"
    print(built.stdout.decode(errors="replace")[-4000:])
    harness.fail("the fuzzer cannot be built", f"{variable}=1 {shlex.join(command)}")
    return None


class Fuzzing:
    """One target."""

    def __init__(self, harness, program, name):
        self.harness = harness
        self.program = str(program)
        self.name = name
        self.folder = harness.folder(name)
        self.corpus = self.folder / "corpus"
        # A release run goes on with what earlier ones found out.
        if harness.is_release:
            self.corpus = ROOT / ".build-fuzz" / "corpus" / name
        self.corpus.mkdir(parents=True, exist_ok=True)

    def run(self):
        """Runs the target; returns the number of its executions."""
        self.start(["-runs=0"], FUZZ_SEEDS=self.corpus)
        self.regressions()
        limit = [f"-runs={TARGETS[self.name]}", f"-max_total_time={PATIENCE}"]
        if self.harness.is_release:
            share = RELEASE_SECONDS * max(2, os.cpu_count() or 2) // len(TARGETS)
            limit = [f"-max_total_time={share}"]
        if self.harness.seconds:
            limit = [f"-max_total_time={self.harness.seconds}"]
        ended = self.start([
            *LIMITS, *limit, f"-seed={self.harness.seed}", f"-artifact_prefix={self.folder}/",
            f"-dict={FOLDER / 'Dictionaries' / 'json.dict'}", str(self.corpus),
        ])
        report = ended.stderr.decode(errors="replace")
        if ended.returncode != 0:
            self.report(ended, report)
        count = re.search(r"stat::number_of_executed_units:\s*(\d+)", report)
        return int(count.group(1)) if count else 0

    def regressions(self):
        """Adds what was read wrongly once to what the fuzzer begins with."""
        kept = FOLDER / "Regressions" / self.name
        for path in kept.glob("*") if kept.is_dir() else []:
            shutil.copy(path, self.corpus)

    def start(self, arguments, **variables):
        environment = self.environment(**variables)
        line = ["env", *(f"{key}={value}" for key, value in environment.items())]
        seconds = RELEASE_SECONDS + 600 if self.harness.is_release else PATIENCE + 60
        if self.harness.seconds:
            seconds = self.harness.seconds + 600
        return self.harness.run([*line, self.program, *arguments], timeout=seconds)

    def environment(self, **variables):
        """The arguments of the program; its own files are in memory."""
        return {
            "FUZZ_TARGET": self.name, "TMPDIR": str(self.folder), **variables,
            "ASAN_OPTIONS": "detect_leaks=0", "SWIFT_BACKTRACE": "enable=no",
        }

    def report(self, ended, report):
        """Fails with the input, which is kept outside of the scratch folder."""
        found = sorted(self.folder.glob("crash-*")) + sorted(self.folder.glob("timeout-*"))
        found += sorted(self.folder.glob("oom-*"))
        kept = pathlib.Path("/tmp") / "fuzzing"
        kept.mkdir(exist_ok=True)
        names = [shutil.copy(path, kept / f"{self.name}-{path.name}") for path in found]
        words = re.findall(r"FAILURE .*|Fatal error.*|SUMMARY: .*|ERROR: .*", report)
        environment = " ".join(f"{key}={value}" for key, value in self.environment().items())
        self.harness.fail(
            f"{self.name} ended with code {ended.returncode}: {' '.join(words)[:400]}",
            f"{environment} {self.program} {' '.join(map(str, names))}",
        )
