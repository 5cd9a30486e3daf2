"""JSON stores whose documents and journals say extreme things."""

import functools
import json
import re

NAME = "s.json"
JOURNAL = NAME + ".journal"
# Around every bound that a reader may have, and where counting overflows.
EXTREMES = (
    "-9223372036854775808", "-1", "0", "255", "65536", "2147483647", "4294967296", "16777216",
    "4611686018427387904", "9223372036854775806", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "1e308", "1e999999", "-0.0", "1" + "0" * 400,
)
# As many as make nearly a megabyte.
ROOM = 900_000
# A number outside of strings, or a string.
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*')


def numbers(closed, left):
    """Each number of a document and of a journal's records, replaced by each extreme."""
    document = closed[NAME]
    for match in TOKEN.finditer(document):
        if match[0].startswith(b'"'):
            continue
        for extreme in EXTREMES:
            yield (f"{match[0].decode()} at {match.start()} of the document is {extreme}",
                   functools.partial(spliced, closed, match.span(), extreme))
    for index, record in enumerate(records(left[JOURNAL])):
        for match in TOKEN.finditer(record):
            if match[0].startswith(b'"'):
                continue
            for extreme in EXTREMES:
                yield (f"{match[0].decode()} at {match.start()} of record {index} is {extreme}",
                       functools.partial(respliced, left, index, match.span(), extreme))


def spliced(files, span, text):
    document = files[NAME]
    return files | {NAME: document[:span[0]] + text.encode() + document[span[1]:]}


def respliced(files, index, span, text):
    texts = records(files[JOURNAL])
    texts[index] = texts[index][:span[0]] + text.encode() + texts[index][span[1]:]
    return files | {JOURNAL: journal(texts)}


def crafted(closed, left):
    """Files in which little says much."""
    yield from histories(closed)
    yield from journals(left)
    yield from schemas(closed)
    yield from values(closed)


def histories(closed):
    ranges = {
        "a range of 2^24 keys": "[1,16777216]",
        "a range of 2^62 keys": "[1,4611686018427387904]",
        "a range to the end of numbers": "[1,9223372036854775807]",
        "a range backwards": "[9,1]",
        "the same range again and again": repeated("[1,16777216]"),
        "ranges of 2^40 keys, one after the other": ",".join(
            f"[{n << 40 | 1},{(n + 1) << 40}]" for n in range(1, 20_000)),
        "ranges that begin alike": ",".join(f"[1,{n}]" for n in range(2, 80_000)),
        "very many keys": ",".join(map(str, range(1, 130_000))),
    }
    for name, keys in ranges.items():
        for kind in ("insert", "update", "delete"):
            extra = ',"properties":["weight"]' if kind == "update" else ""
            change = f'{{"{kind}":"Specimen","keys":[{keys}]{extra}}}'
            yield f"history with {name}, {kind}", with_history(closed, transaction(5, change))
    change = '{"delete":"Specimen","keys":[[1,16777216]],"properties":["code"],"before":[["x"]]}'
    yield "history with values of 2^24 keys", with_history(closed, transaction(5, change))
    many = ",\n".join(transaction(n, '{"insert":"Shelf","keys":[[1,16777216]]}')
                      for n in range(2, 5_000))
    yield "history with a range in each of 5,000 transactions", with_history(closed, many)
    groups = repeated('{"insert":"Shelf","keys":[[1,4294967296]]}')
    yield "history with a range in each of 20,000 groups", with_history(closed, transaction(5, groups))
    for cut in ("9223372036854775807", "4611686018427387904", "-1"):
        yield f"history cut at {cut}", with_history(closed, transaction(5, ""), cut)


def transaction(number, changes):
    return (f'{{"number":{number},"time":{{"$date":"2026-01-01T00:00:00Z"}},"bundle":"b",'
            f'"process":"1","changes":[{changes}]}}')


def repeated(text):
    """A text as often as there is room, with commas."""
    return ",".join([text] * (ROOM // (len(text) + 1)))


def with_history(closed, transactions, cut="0"):
    def make():
        document = closed[NAME]
        begin = document.index(b'"history": {')
        text = f'"history": {{\n"cut": {cut},\n"transactions": [\n{transactions}\n]\n}}\n}}\n'
        return closed | {NAME: document[:begin] + text.encode()}

    return make


def journals(left):
    header, *rest = records(left[JOURNAL])
    forget = {
        "2^24 transactions": "[1,16777216]",
        "2^62 transactions": "[1,4611686018427387904]",
        "the same again and again": repeated("[1,16777216]"),
        "ranges that begin alike": ",".join(f"[1,{n}]" for n in range(2, 80_000)),
        "to the end of numbers": "[1,9223372036854775807]",
    }
    for name, keys in forget.items():
        yield f"a journal that forgets {name}", with_records(left, header, rest, [
            f'{{"next":17,"forget":[{keys}]}}'])
    texts = {
        "forgets a range": '{"next":17,"forget":[[1,1099511627776]]}',
        "cuts": '{"next":17,"cut":4611686018427387904}',
        "erases": '{"next":17,"erase":true}',
        "does nothing": '{"next":17}',
        "deletes a row": '{"next":17,"delete":{"Specimen":[2]}}',
        "changes all rows": '{"next":17,"update":{"Shelf":[{"$id":1,"label":"x"}]}}',
        "has a range in its history": '{"next":17,"history":'
        + transaction(9, '{"insert":"Shelf","keys":[[1,16777216]]}') + "}",
    }
    for name, text in texts.items():
        count = ROOM // (len(text) + 22)
        yield f"a journal of {count:,} records, each of which {name}", with_records(
            left, header, rest, [text] * count)
        overlapping = [re.sub(r"1099511627776|16777216", str(1 << 20 | n), text)
                       for n in range(count)]
        if overlapping[0] != text:
            yield f"a journal of {count:,} records, each of which {name}, each another", (
                with_records(left, header, rest, overlapping))
    deleted = ",".join(str(n) for n in range(1, 130_000))
    yield "a journal that deletes rows that never were", with_records(
        left, header, rest, [f'{{"next":17,"delete":{{"Specimen":[{deleted}]}}}}'])
    nothing = [b"[" * 900_000, b"{" * 900_000, b'{"next":' + b"1" * 900_000 + b"}"]
    for number, text in enumerate(nothing):
        yield f"a journal with a record that is no record, {number}", with_records(
            left, header, rest, [text.decode()])


def with_records(left, header, rest, texts):
    return lambda: left | {JOURNAL: journal([header, *rest, *[text.encode() for text in texts]])}


def schemas(closed):
    """Schemas that a reader must not follow blindly."""
    def changed(change):
        def make():
            document = closed[NAME]
            begin = document.index(b'"schema": ') + len(b'"schema": ')
            end = document.index(b'},\n"entities": {', begin) + 1
            schema = json.loads(document[begin:end])
            change(schema)
            text = json.dumps(schema, separators=(",", ":")).encode()
            return closed | {NAME: document[:begin] + text + document[end:]}

        return make

    def entity(schema, name):
        return next(entity for entity in schema["entities"] if entity["name"] == name)

    def parent(**parents):
        def change(schema):
            for name, other in parents.items():
                entity(schema, name).update(superentity=other, root=other)
        return change

    def inverse(text):
        def change(schema):
            for property in entity(schema, "Shelf")["properties"]:
                if "toMany" in property["kind"]:
                    property["kind"]["toMany"]["_0"]["inverse"] = text
        return change

    def destination(text):
        def change(schema):
            for property in entity(schema, "Shelf")["properties"]:
                if "toMany" in property["kind"]:
                    property["kind"]["toMany"]["_0"]["destination"] = text
        return change

    yield "an entity that is its own ancestor", changed(parent(Shelf="Shelf"))
    yield "two entities that are each other's ancestor", changed(
        parent(Shelf="Specimen", Specimen="Shelf"))
    yield "an entity whose ancestor there is not", changed(parent(Shelf="Nobody"))
    for name in ("code", "photo", "words", "friends", "specimens", "nothing", ""):
        yield f"an inverse that is '{name}'", changed(inverse(name))
    for name in ("Shelf", "Nobody", ""):
        yield f"a relationship to '{name}'", changed(destination(name))
    copies = {
        "an entity twice": lambda schema: schema["entities"].append(schema["entities"][0]),
        "no entity": lambda schema: schema["entities"].clear(),
        "an attribute 2,000 times": lambda schema: entity(schema, "Shelf")["properties"].extend(
            entity(schema, "Shelf")["properties"][:1] * 2_000),
        "5,000 entities": lambda schema: schema["entities"].extend(
            {"name": f"E{n}", "properties": []} for n in range(5_000)),
        "5,000 attributes": lambda schema: entity(schema, "Shelf")["properties"].extend(
            dict(entity(schema, "Shelf")["properties"][0], name=f"p{n}", originalName=f"p{n}")
            for n in range(5_000)),
        "a chain of 2,000 ancestors": chain,
        "an index of nothing": lambda schema: entity(schema, "Shelf").update(indices=[[]]),
        "an index of what there is not": lambda schema: entity(schema, "Shelf").update(
            indices=[["nothing"]]),
    }
    for name, change in copies.items():
        yield f"a schema with {name}", changed(change)


def chain(schema):
    names = [f"E{n}" for n in range(2_000)]
    for name, above in zip(names, [None, *names]):
        entity = {"name": name, "properties": []}
        if above:
            entity["superentity"] = above
        schema["entities"].append(entity)


def values(closed):
    """Values of rows at their extremes."""
    texts = {
        "a list of lists": ('"words":["a","b"]', '"words":' + "[" * 60_000 + "]" * 60_000),
        "a list of 63 lists": ('"words":["a","b"]', '"words":' + "[" * 59 + "]" * 59),
        "a list of very many": ('"words":["a","b"]', '"words":[' + repeated('"a"') + "]"),
        "objects in objects": ('"place":{"x":1}', '"place":' + '{"x":' * 50_000 + "1" + "}" * 50_000),
        "an object of very many": ('"place":{"x":1}', '"place":{' + ",".join(
            f'"k{n}":1' for n in range(70_000)) + "}"),
        "one name very often": ('"place":{"x":1}', '"place":{' + repeated('"x":1') + "}"),
        "composites in composites": ('"place":{"x":1}', '"place":'
                                     + '{"$composite":[["a",' * 20_000 + "1" + "]]}" * 20_000),
        "a long decimal": ('"price":"12.5"', '"price":"' + "1" * ROOM + '"'),
        "a decimal with an exponent": ('"price":"12.5"', '"price":"1e999999999"'),
        "a number of very many digits": ('"weight":1.5', '"weight":' + "1" * ROOM),
        "a number with very many zeros": ('"weight":1.5', '"weight":0.' + "0" * ROOM + "1"),
        "an exponent of very many digits": ('"weight":1.5', '"weight":1e' + "9" * ROOM),
        "a date of very many digits": ('"found":"2001-01-01T00:00:00.250Z"',
                                       '"found":"2001-01-01T00:00:00.' + "1" * ROOM + 'Z"'),
        "a text of escapes": ('"mood":"calm"', '"mood":"' + "\\u0000" * (ROOM // 6) + '"'),
        "words that are looked for": ('"notes":"hot spring 3"',
                                      '"notes":"' + " ".join(f"w{n}" for n in range(120_000)) + '"'),
        "one word": ('"notes":"hot spring 3"', '"notes":"' + "w" * ROOM + '"'),
        "marks without a letter": ('"notes":"hot spring 3"', '"notes":"' + "\u0301" * 400_000 + '"'),
        "very many friends": ('"friends":[14]', '"friends":[' + repeated("14") + "]"),
        "friends that are not there": ('"friends":[14]', '"friends":[' + ",".join(
            str(n) for n in range(100, 120_000)) + "]"),
        "very large data": ('"raw":"AwMD', '"raw":"' + "A" * (ROOM - ROOM % 4) + "AwMD"),
        "a file of 2^62 bytes": ('"bytes":20000', '"bytes":4611686018427387904'),
        "a file of 2^63 bytes": ('"bytes":20000', '"bytes":9223372036854775807'),
        "a file of less than nothing": ('"bytes":20000', '"bytes":-1'),
        "blanks": ('"history": {', " " * ROOM + '"history": {'),
    }
    for name, (old, new) in texts.items():
        yield name, functools.partial(replaced, closed, old.encode(), new.encode())
    for name, text in {"brackets": "[" * ROOM, "braces": '{"a":' * (ROOM // 5),
                       "a number": "1" * ROOM, "an open text": '"' + "a" * ROOM,
                       "nothing": "", "zeros": "\0" * ROOM}.items():
        yield f"a document of {name}", functools.partial(
            lambda text: closed | {NAME: text.encode()}, text)


def replaced(closed, old, new):
    document = closed[NAME]
    if old not in document:
        raise RuntimeError(f"the document has no {old}")
    return closed | {NAME: document.replace(old, new, 1)}


# The journal's frames (Documentation/JSONFormat.md).

def records(content):
    """The texts of a journal, the header first."""
    return [line[20:] for line in content.rstrip(b" ").split(b"\n") if line.strip()]


def journal(texts):
    """A journal with texts, and the checksums that they need."""
    header = json.loads(texts[0])
    salt = f"{header.get('store')}/{header.get('generation')}"
    frames = [frame(b"/0/0/", texts[0])]
    frames += [frame(f"{salt}/{number}/".encode(), text) for number, text in enumerate(texts[1:], 1)]
    return b"".join(frames)


def frame(salt, text):
    return b"%010d %08x %s\n" % (len(text), crc32c(salt + text), text)


@functools.cache
def table():
    rows = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        rows.append(byte)
    return rows


def crc32c(data):
    rows, value = table(), 0xFFFFFFFF
    for byte in data:
        value = rows[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF
