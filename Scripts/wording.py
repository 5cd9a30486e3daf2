"""The words that documentation avoids, and where they are; `check-shape` counts them.

Doc comments of Sources and Markdown pages are read, code blocks left out. Why each pattern is
avoided: CONTRIBUTING.md, *English*.
"""

import re

SUMMARIES = (
    ("a summary that begins with 'What'", re.compile(r"What\b(?!.*\?$)")),
    ("a summary that begins with 'The same'", re.compile(r"The same\b")),
    ("a summary that begins with 'Has'", re.compile(r"Has\b")),
)
ANYWHERE = (
    ("'nil where'", re.compile(r"\bnil`? where\b")),
    ("a person where code is meant", re.compile(r"\b(whoever|whom|somebody|nobody)\b", re.I)),
    ("'stand' or 'lie' for 'is'", re.compile(r"\b(stands|lies|stood|lay)\b")),
)
MOST_WORDS = 25
INLINE = re.compile(r"``?[^`]*``?|\]\([^)]*\)|<!--.*?-->")


def summary(lines):
    """The first sentence of a doc comment's text."""
    text = []
    for line in lines:
        if not line.strip() or line.lstrip().startswith(("-", "```")):
            break
        text.append(line.strip())
    return re.split(r"(?<=[.!?])\s", " ".join(text), maxsplit=1)[0]


def comments(text):
    """The line number and lines of each doc comment of a Swift file, without the slashes."""
    block, start = [], 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        stripped = line.lstrip()
        if stripped.startswith("///"):
            start = start if block else number
            block.append(stripped[3:].removeprefix(" "))
        elif block:
            yield start, block
            block = []


def without_code(lines):
    """The lines outside of fenced code, with inline code blanked."""
    fenced = False
    for index, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield index, INLINE.sub("`", line)


def found_in(lines, start):
    """The line number and pattern of each word to avoid."""
    for index, line in without_code(lines):
        for words, pattern in ANYWHERE:
            # `nil` itself is code.
            if pattern.search(lines[index] if "nil" in words else line):
                yield start + index, words


def of_comments(text):
    """The findings of a Swift file's documentation: line and what was found."""
    for start, block in comments(text):
        first = summary(block)
        for words, pattern in SUMMARIES:
            if pattern.match(first):
                yield start, words
        if len(first.split()) > MOST_WORDS:
            yield start, f"a summary of more than {MOST_WORDS} words"
        yield from found_in(block, start)


def of_page(text):
    """The findings of a Markdown page."""
    yield from found_in(text.splitlines(), 1)
