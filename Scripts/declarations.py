#!/usr/bin/env python3
"""Writes the page of the declarations that the author of a store needs, and checks it.

The page is Documentation/StoreDeclarations.md: the declarations of `Scripts/declarations.txt`, each
with its signature and the summary of its doc comment. Types, requirements, properties, functions and
initializers count, at most 140; the values of an enumeration, and error codes, are named with their
type and counted apart. So are the declarations of the groups that begin with `## +`.

Scripts/check-shape fails if the page is not up to date, if it has too many declarations, and if a store
of Examples/CustomStore uses a public declaration of StoreProtocol, QueryEvaluation or StoreHelpers
that the page lacks. The last is a check by names: a name that the page has for any type is allowed for all,
and so is one that the store declares itself, or that the standard library has too (FOREIGN).
Implementations that a protocol gives (RecordStore.count) are on the page only where a store replaces
or calls them.

Usage: Scripts/declarations.py [--write]
  --write   writes the page anew
"""

import itertools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ("StoreProtocol", "QueryEvaluation", "StoreHelpers")
# The module of the tests of stores.
TESTS = "StoreConformance"
STORES = "Examples/CustomStore/Sources"
LIST = ROOT / "Scripts/declarations.txt"
PAGE = ROOT / "Documentation/StoreDeclarations.md"
LIMIT = 140
# Enumerations whose values are listed with their summaries.
EXPLAINED = {"StoreValue", "FixtureHook", "StoreFault"}
# Names that the standard library has as well, by which stores of Examples/CustomStore call it.
FOREIGN = {
    "any", "append", "close", "contains", "encode", "indices", "insert", "isEmpty", "map", "some",
    "sorted", "uuidString",
}

# A comment, a raw or plain string of one or several lines.
IGNORED = re.compile(
    r'//[^\n]*|/\*.*?\*/|(?P<hash>#*)"""(?:.*?)"""(?P=hash)|#+"[^\n]*?"#+|"(?:\\.|[^"\\\n])*"',
    re.DOTALL,
)
MODIFIERS = (
    r"(?:@[\w.]+(?:\([^)]*\))?\s+|(?:public|open|package|internal|fileprivate|private)(?:\(set\))?\s+"
    r"|(?:final|static|class|override|mutating|nonmutating|indirect|lazy|weak|convenience|required)\s+"
    r"|(?:nonisolated|unowned)(?:\(\w+\))?\s+)*"
)
DECLARATION = re.compile(
    rf"(?P<modifiers>{MODIFIERS})"
    r"(?P<kind>protocol|class|struct|enum|extension|func|var|let|init|subscript|case|typealias"
    r"|associatedtype)\b[ \t]*(?P<name>[\w.]+|[-+*/<>=!~&|^%]+)?"
)
TYPES = {"protocol", "class", "struct", "enum", "extension"}


def blanked(match):
    """Spaces instead of what is no code, with the lines kept."""
    return re.sub(r"[^\n]", " ", match.group(0))


class Declaration:
    def __init__(self, path, kind, signature, summary, is_value, is_default):
        self.path, self.kind, self.signature, self.summary = path, kind, signature, summary
        self.is_value, self.is_default = is_value, is_default
        self.owner, _, self.name = path.rpartition(".")

    @property
    def base(self):
        """The name without labels."""
        return self.name.split("(")[0]


def summary(lines, index):
    """The first paragraph of the doc comment above a line."""
    above = index - 1
    while above >= 0 and re.match(r"\s*(@|//(?!/))", lines[above]):
        above -= 1
    end = above + 1
    while above >= 0 and lines[above].strip().startswith("///"):
        above -= 1
    text = []
    for line in lines[above + 1 : end]:
        line = line.strip()[3:].strip()
        if not line:
            break
        text.append(line)
    return linked(" ".join(text))


def linked(text):
    """A text of documentation with its links as code; a link names a member behind a slash."""
    link = lambda match: "`" + re.sub(r"/", ".", re.sub(r"-\(.*\)$", "", match.group(1))) + "`"
    return re.sub(r"``(.*?)``", link, text)


def end_of_signature(code, start, kind):
    """Where the body, the value or the line of a declaration begins."""
    depth = 0
    for offset in range(start, len(code)):
        character = code[offset]
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if depth == 0:
            if character in "{}" or character == "=" and kind in ("var", "let"):
                return offset
            # A signature goes on with the next line only where that says so.
            if character == "\n" and not re.match(r"[ \t]*(->|where\b|throws\b|[:,&])", code[offset + 1 :]):
                return offset
    return len(code)


def labels(signature, name):
    """The labels of a function's parameters."""
    start = signature.index("(", signature.index(name) + len(name))
    depth, end = 1, start + 1
    while depth:
        depth += {"(": 1, ")": -1}.get(signature[end], 0)
        end += 1
    flat = signature[start + 1 : end - 1]
    while re.search(r"[(\[][^()\[\]]*[)\]]", flat):
        flat = re.sub(r"[(\[][^()\[\]]*[)\]]", "", flat)
    flat = re.sub(r"<[^<>]*>", "", flat)
    return "".join(part.split()[0].rstrip(":") + ":" for part in flat.split(",") if part.strip())


def declarations(text):
    """The public declarations of a file."""
    code = IGNORED.sub(blanked, text)
    lines = text.splitlines()
    # The types around, each with the depth of its braces and whether its members are public.
    context, depth, offset = [], 0, 0
    while offset < len(code):
        character = code[offset]
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            while context and context[-1][1] > depth:
                context.pop()
        is_start = not offset or code[offset - 1] in "\n {;" or code[:offset].endswith("  ")
        match = DECLARATION.match(code, offset) if is_start and character not in " \n" else None
        if not match or depth != (context[-1][1] if context else 0):
            offset += 1
            continue
        kind, name = match.group("kind"), match.group("name") or ""
        end = end_of_signature(code, match.end("kind"), kind)
        owner, _, owner_kind = context[-1] if context else ("", 0, "")
        is_public = bool(re.search(r"\b(public|open)\s", match.group("modifiers"))) or owner_kind in (
            "public protocol", "public enum",
        ) and (kind == "case" or owner_kind == "public protocol")
        signature = re.sub(r"\s+", " ", text[match.start("kind") : end]).strip()
        signature = signature.replace("( ", "(").replace(" )", ")")
        if "static" in match.group("modifiers").split():
            signature = "static " + signature
        if kind in TYPES:
            path = name if not owner or kind == "extension" else f"{owner}.{name}"
            brace = code.find("{", end)
            context.append((path, depth + 1, f"public {kind}" if is_public else kind))
            if kind != "extension" and is_public:
                line = code.count("\n", 0, offset)
                yield Declaration(path, kind, signature, summary(lines, line), False, False)
            depth += 1
            offset = brace + 1
            continue
        if is_public:
            line = code.count("\n", 0, offset)
            names = [name]
            if kind in ("func", "subscript") or kind == "init":
                name = name if kind == "func" else kind
                names = [f"{name}({labels(signature, name)})"]
            elif kind == "case":
                names = re.findall(r"(?:case |, )(\w+)", re.sub(r"\([^()]*\)", "", signature))
            if owner_kind == "public protocol" and kind == "var":
                signature += " { get set }" if re.match(r"\{[^}]*set", code[end:]) else " { get }"
            is_code = kind == "let" and owner == "DataStoreError" and "static" in signature
            is_value = kind == "case" or is_code
            for name in names:
                path = f"{owner}.{name}" if owner else name
                about = summary(lines, line)
                yield Declaration(path, kind, signature, about, is_value, owner_kind == "extension")
        offset = max(end, match.end())


def public(modules=MODULES):
    """The public declarations of modules, by path; several where a name is overloaded."""
    found = {}
    for module in modules:
        for file in sorted((ROOT / "Sources" / module).rglob("*.swift")):
            for one in declarations(file.read_text()):
                found.setdefault(one.path, []).append(one)
    protocols = {path for path, same in found.items() if same[0].kind == "protocol"}
    # What a protocol gives for its own requirement is no further declaration.
    for path, same in found.items():
        if path.rpartition(".")[0] in protocols and not all(one.is_default for one in same):
            found[path] = [one for one in same if not one.is_default]
    return found


def items(type_name, start):
    """The list in the doc comment of a type, behind the line that begins with a text."""
    for file in sorted((ROOT / "Sources" / MODULES[0]).rglob("*.swift")):
        text = file.read_text()
        if re.search(rf"^public \w+ {type_name}\b", text, re.MULTILINE) and f"/// {start}" in text:
            rest = text[text.index(f"/// {start}") :].splitlines()[1:]
            lines = [line[4:] for line in itertools.takewhile(lambda line: line.startswith("///"), rest)]
            return [linked(" ".join(item.split())) for item in "\n".join(lines).split("- ") if item.strip()]
    return []


def chosen(known):
    """The groups of the list: title, introduction, and declarations in order, and what is wrong."""
    groups, problems = [], []
    for line in LIST.read_text().splitlines():
        head, _, members = line.partition(": ")
        if line.startswith("## "):
            groups.append((line[3:], [], []))
        elif line.startswith("> "):
            groups[-1][1].append(line[2:])
        elif line.startswith(">> "):
            own = items(*line[3:].split(": ", 1))
            problems += [] if own else [f"{line[3:]}: no doc comment has this list"]
            groups[-1][1].extend([""] + [f"- {item}" for item in own])
        elif line and not line.startswith("#"):
            head = head.rstrip(":")
            listed = [one for group in groups for one in group[2]]
            own = [one for one in known.get(head, []) if one not in listed]
            problems += [f"{head} is no public declaration"] if head not in known else []
            for word in members.split():
                name, _, text = word.partition("=")
                own_members = [
                    one
                    for same in known.values()
                    for one in same
                    if one.owner == head and name in (one.name, one.base) and text in one.signature
                ]
                problems += [] if own_members else [f"{head} has no public member {word}"]
                own += own_members
            groups[-1][2].extend(own)
    return groups, problems


def values(known, one):
    """The values of an enumeration, or the codes of errors, as text."""
    own = [v for same in known.values() for v in same if v.owner == one.path and v.is_value]
    if one.path in EXPLAINED:
        return "", len(own)
    with_content = [v.signature.removeprefix("case ") if "(" in v.signature else v.name for v in own]
    return ", ".join(f"`{v}`" for v in with_content), len(own)


def page(known, groups):
    """The text of the page, and the number of declarations on it."""
    lines, count, count_of_values, more = [], 0, 0, 0
    for title, introduction, listed in groups:
        is_counted = not title.startswith("+ ")
        lines += ["", f"## {title.removeprefix('+ ')}", ""] + introduction + [""] * bool(introduction)
        head = None
        for one in listed:
            count += is_counted
            more += not is_counted
            if one.kind in TYPES:
                head = one.path
                named, number = values(known, one)
                count_of_values += number if is_counted else 0
                lines.append(f"- `{shown(one)}`: {one.summary}" + (f" Values: {named}." if named else ""))
                if one.path in EXPLAINED:
                    cases = [v for same in known.values() for v in same if v.owner == one.path and v.is_value]
                    lines += [f"  - `{v.signature}`: {v.summary}" for v in cases]
                continue
            if one.owner != head:
                head = one.owner
                lines.append(f"- `{head}`:")
            lines.append(f"  - `{one.signature}`: {one.summary}")
    intro = [
        "# Declarations for the author of a store",
        "",
        "<!-- Generated from the doc comments; Scripts/declarations.py --write writes it anew. -->",
        "",
        f"This page has the {count} declarations of `StoreProtocol`, `QueryEvaluation` and `StoreHelpers` with which the three stores of",
        "[Examples/CustomStore](../Examples/CustomStore/README.md) are written. It is generated from the doc comments in `Sources` by",
        "`Scripts/declarations.py --write`, and `Scripts/check-shape` fails if it is not up to date, or if one of the stores",
        "uses a declaration that is not here. Types, requirements, properties, functions and initializers count. The",
        f"{count_of_values} values of enumerations, and error codes, are listed with their type and are not counted. The last two",
        f"sections have {more} more: of `{TESTS}`, for the tests of a store, and of `StoreHelpers`, for a store with a history.",
        "",
        "[Writing a store](../Sources/OpenSwiftData/OpenSwiftData.docc/Writing-A-Store.md) describes the steps and the protocols for history,",
        "migration and maintenance. [The store contract](StoreContract.md) has the rules.",
    ]
    return "\n".join(intro + lines) + "\n", count


def shown(one):
    """A type's signature with its whole name."""
    return one.signature.replace(f"{one.kind} {one.name}", f"{one.kind} {one.path}", 1)


def used(code):
    """The names that code uses, without labels of arguments."""
    return set(re.findall(r"\b[A-Za-z]\w*\b(?!:)", code))


def declared(code):
    """The names that code declares, with labels, parameters and what loops and closures bind."""
    named = re.findall(r"\b(?:func|var|let|case|struct|class|enum|typealias)\s+(\w+)", code)
    parameters = re.findall(r"[(,]\s*(\w+)(?:\s+(\w+))?:\s*(?:inout |any |some |@)?[A-Z\[(@]", code)
    bound = re.findall(r"(?:\bfor \(?|\{ ?)(\w+)(?:, (\w+)\)?)? in\b", code)
    return set(named).union(*parameters, *bound)


def problems():
    """What is wrong with the list, the page and the stores."""
    known = public((*MODULES, TESTS))
    groups, found = chosen(known)
    text, count = page(known, groups)
    if count > LIMIT:
        found.append(f"{count} declarations are more than {LIMIT}")
    if not PAGE.exists() or PAGE.read_text() != text:
        found.append(f"{PAGE.relative_to(ROOT)} is not up to date; run Scripts/declarations.py --write")
    listed = [one for group in groups for one in group[2]]
    types = {one.path for one in listed if one.kind in TYPES}
    names = {one.base for one in listed} | FOREIGN
    every = set()
    for same in public().values():
        for one in same:
            every.add(one.base)
            if one.is_value and one.owner in types:
                names.add(one.base)
    for store in sorted((ROOT / STORES).iterdir()):
        files = {path: IGNORED.sub(blanked, path.read_text()) for path in sorted(store.rglob("*.swift"))}
        own = set().union(*map(declared, files.values()))
        for path, code in files.items():
            for name in sorted(used(code) & every - names - own):
                found.append(f"{path.relative_to(ROOT)}: {name} is not on {PAGE.name}")
    return [f"declarations: {problem}" for problem in found]


def main(arguments):
    if arguments not in ([], ["--write"]):
        print(__doc__.strip())
        return 0 if arguments in (["-h"], ["--help"]) else 64
    if arguments:
        known = public((*MODULES, TESTS))
        text, count = page(known, chosen(known)[0])
        PAGE.write_text(text)
        print(f"declarations: wrote {PAGE.relative_to(ROOT)}, {count} declarations")
    found = problems()
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
