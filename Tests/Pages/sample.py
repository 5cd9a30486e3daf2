"""A store of authors and books, made by `storectl import`, with long and odd text and 25 saves."""

import json
import subprocess

BOOKS, SAVES = 1_200, 25
LONG = "A very long title without end, " * 12
ODD = "<b>&amp;\u202e</b>" + "wordwithoutanyspace" * 8


def attribute(name, kind, **more):
    known = {"isOptional": False, "isUnique": False, "options": [], "originalName": name}
    return {"name": name, "kind": {"attribute": {"_0": kind}}, **known, **more}


def relation(name, many, destination, inverse, inverse_is_one):
    content = {
        "deleteRule": "nullify", "destination": destination, "inverse": inverse,
        "inverseIsToOne": inverse_is_one,
    }
    kind = {"toMany" if many else "toOne": {"_0": content}}
    return {**attribute(name, ""), "kind": kind, "isOptional": not many}


# Four columns of boxes, and relationships to neighbors, across columns and within one.
ENTITIES = [
    {"name": "Author", "properties": [
        attribute("name", "string", isUnique=True),
        relation("books", True, "Book", "author", True),
        relation("reviews", True, "Review", "critic", True),
        relation("teacher", False, "Author", "pupils", False),
        relation("pupils", True, "Author", "teacher", True),
    ]},
    {"name": "Book", "properties": [
        attribute("title", "string"),
        attribute("pages", "int64"),
        attribute("summary", "string", isOptional=True),
        relation("author", False, "Author", "books", False),
        relation("chapters", True, "Chapter", "book", True),
        relation("tags", True, "Tag", "books", False),
    ]},
    {"name": "Chapter", "properties": [
        attribute("heading", "string"),
        relation("book", False, "Book", "chapters", False),
        relation("reviews", True, "Review", "chapter", True),
    ]},
    {"name": "Review", "properties": [
        attribute("text", "string"),
        relation("chapter", False, "Chapter", "reviews", False),
        relation("critic", False, "Author", "reviews", False),
    ]},
    {"name": "Tag", "properties": [
        attribute("word", "string"),
        relation("books", True, "Book", "tags", False),
    ]},
]


def rows():
    yield {"$entity": "Author", "$id": 1, "name": "Ada"}
    yield {"$entity": "Author", "$id": 2, "name": ODD, "teacher": 1}
    for number in range(3, BOOKS + 3):
        yield {
            "$entity": "Book", "$id": number,
            "title": {3: LONG, 4: ODD}.get(number, f"Volume {number}"),
            "pages": 1_000 + number,
            "summary": LONG if number % 7 == 0 else None,
            "author": 2 if number == 4 else 1,
        }


def make(storectl, folder):
    """Makes the store, and returns its URL."""
    url = f"sqlite:{folder}/library.sqlite"
    schema = {"entities": ENTITIES, "version": "1.0.0"}
    head = {"$format": "OpenSwiftData rows", "version": 1, "nextKey": BOOKS + 3, "schema": schema}
    tags = ({"$entity": "Tag", "$id": 1, "word": f"tag {number}"} for number in range(SAVES - 1))
    batches = [[head, *rows()]] + [[tag] for tag in tags]
    for batch in batches:
        text = "".join(json.dumps(line) + "\n" for line in batch)
        (folder / "rows.ndjson").write_text(text)
        subprocess.run(
            [storectl, "import", folder / "rows.ndjson", url], check=True, stdout=subprocess.DEVNULL
        )
    return url
