"""The circles among the folders of each target, by the types that they use; `check-shape` reports them.

A folder uses another of its target if a file names a type that is declared at the top level of one of the
other's files. Names that a target declares twice are left out, as are nested types, members and
extensions, so that a circle may exist that is not found; what is found is one.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPE = re.compile(r"^(?:@\w+\s+|\w+\s+)*(?:struct|class|enum|protocol|actor)\s+(\w+)", re.MULTILINE)
INNER = re.compile(r"\b(?:struct|class|enum|protocol|actor|typealias|associatedtype)\s+(\w+)")

# The circles that exist, by target; a circle with any other folder is a problem.
KNOWN = {
    # A container has its main context, and a context its container.
    "ModelLayer": ("Container", "Context"),
}


def uses(target, code_of):
    """The folders of a target that use each other: the types, by the two folders."""
    codes = {}
    for path in sorted(target.rglob("*.swift")):
        parts = path.relative_to(target).parts
        if len(parts) > 1:
            codes[path] = (parts[0], code_of(path))
    homes = {}
    for folder, code in codes.values():
        for name in TYPE.findall(code):
            homes.setdefault(name, []).append(folder)
    homes = {name: folders[0] for name, folders in homes.items() if len(folders) == 1}
    found = {}
    for folder, code in codes.values():
        own = set(INNER.findall(code))
        for name in set(re.findall(r"\b[A-Z_]\w*\b", code)) - own:
            if homes.get(name, folder) != folder:
                found.setdefault((folder, homes[name]), set()).add(name)
    return found


def circles(edges):
    """The largest sets of folders that use each other, in a line or around."""
    reached = {folder: {folder} for edge in edges for folder in edge}
    while True:
        before = sum(map(len, reached.values()))
        for user, used in edges:
            reached[user] |= reached[used]
        if sum(map(len, reached.values())) == before:
            break
    sets = {frozenset(b for b in reached[a] if a in reached[b]) for a in reached}
    return sorted(sorted(one) for one in sets if len(one) > 1)


def problems(code_of):
    """The circles that are not known, and those that are known and gone."""
    found = []
    for target in sorted(path for path in (ROOT / "Sources").iterdir() if path.is_dir()):
        edges = uses(target, code_of)
        known = set(KNOWN.get(target.name, ()))
        present = set()
        for circle in circles(edges):
            present |= set(circle)
            if not set(circle) <= known:
                inner = [f"{a} uses {b} ({', '.join(sorted(edges[a, b])[:3])})" for a, b in sorted(edges)
                         if a in circle and b in circle]
                found.append(f"Sources/{target.name}: a circle of folders: {'; '.join(inner[:8])}")
        if known - present:
            gone = ", ".join(sorted(known - present))
            found.append(f"Scripts/folders.py: no circle of {target.name} has {gone} any more")
    return found
