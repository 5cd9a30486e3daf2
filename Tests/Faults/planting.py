"""The faults in `planted/`, each a patch of the Sources, and a worker whose sources have them all.

Each patch is an ordinary unified diff: `git apply -C1 Tests/Faults/planted/NAME.patch` plants it by
hand. Its text says what is wrong, and which part of the harness finds it. The worker shows the
fault that its environment names (`PlantedFault.swift`), so that one build is enough.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from harness import ROOT
from parts import PARTS

FOLDER = pathlib.Path(__file__).parent / "planted"
SWITCH = FOLDER / "PlantedFault.swift"
VARIABLE = "OPENSWIFTDATA_PLANTED_FAULT"
# What the manifest names; the rest of the package is not built.
COPIED = ("Package.swift", "Sources", "Tests", "Examples")
BUILD = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "storeworker"]


class Patch:
    """One fault."""

    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.text = path.read_text()
        found_by = re.search(r"^Found-By: (\w+)$", self.text, re.MULTILINE)
        self.part = found_by[1] if found_by else None
        # The targets that it changes, as folders of Sources.
        self.targets = set(re.findall(r"^\+\+\+ b/Sources/(\w+)/", self.text, re.MULTILINE))

    def apply(self, package):
        """Plants the fault in a package.

        Returns what git says against it, or None when it is planted.
        """
        # A package inside of a repository is patched as one outside of any.
        environment = dict(os.environ, GIT_CEILING_DIRECTORIES=str(pathlib.Path(package).parent))
        # Lines farther away than the neighboring one may have changed.
        command = ["git", "apply", "-C1", "--whitespace=nowarn", self.path]
        done = subprocess.run(command, cwd=package, env=environment, capture_output=True, text=True)
        return None if done.returncode == 0 else done.stderr.strip()


def patches():
    return [Patch(path) for path in sorted(FOLDER.glob("*.patch"))]


def plant(package):
    """Plants all faults in a package, and yields what is wrong with a patch."""
    targets = set()
    for patch in patches():
        refusal = patch.apply(package)
        if refusal:
            yield f"{patch.path.relative_to(ROOT)} no longer applies: {refusal}"
        if f'isPlanted("{patch.name}")' not in patch.text:
            yield f"{patch.path.relative_to(ROOT)} does not ask isPlanted(\"{patch.name}\")"
        if patch.part not in PARTS:
            yield f"{patch.path.relative_to(ROOT)} does not say 'Found-By: PART'"
        targets |= patch.targets
    for target in targets:
        shutil.copy(SWITCH, pathlib.Path(package) / "Sources" / target)


def problems():
    """What keeps the patches from being planted in the sources as they are now."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "Sources", pathlib.Path(folder, "Sources"))
        return list(plant(folder))


def build(harness):
    """Builds the worker with all faults.

    Returns its path, or None where it cannot be built.
    """
    package, scratch = ROOT / ".build-planted" / "package", ROOT / ".build-planted" / "build"
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            copy(ROOT / name, pathlib.Path(folder, name))
        wrong = list(plant(folder))
        for problem in wrong:
            harness.fail(problem, "Scripts/check-shape")
        if wrong:
            return None
        update(pathlib.Path(folder), package)
    command = [*BUILD, "--package-path", package, "--scratch-path", scratch]
    harness.environment["OPENSWIFTDATA_TESTS"] = "none"
    try:
        built = harness.run(command, timeout=1800)
    finally:
        del harness.environment["OPENSWIFTDATA_TESTS"]
    if built.returncode == 0:
        return scratch / "release" / "storeworker"
    print(built.stdout.decode(errors="replace")[-4000:])
    harness.fail("the worker with planted faults cannot be built", " ".join(map(str, command)))
    return None


def copy(original, target):
    if original.is_dir():
        shutil.copytree(original, target, ignore=shutil.ignore_patterns(".build*"))
    else:
        shutil.copy2(original, target)


def update(new, old):
    """Makes a folder the same as another; equal files keep their dates, so that little is built."""
    wanted = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
    for path in old.rglob("*"):
        if path.is_file() and path.relative_to(old) not in wanted:
            path.unlink()
    for name in wanted:
        content = (new / name).read_bytes()
        target = old / name
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
