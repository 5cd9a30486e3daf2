"""SQLite stores whose headers, rows and logs say extreme things."""

import functools
import json
import pathlib
import sqlite3
import struct
import tempfile

import extreme_documents
from extreme_documents import EXTREMES, ROOM, repeated

NAME = "s.db"
LOG = NAME + "-wal"
# The fields of a database's header, by offset, with their sizes (sqlite.org/fileformat.html).
HEADER = {
    "page size": (16, 2), "write version": (18, 1), "read version": (19, 1), "reserved": (20, 1),
    "change counter": (24, 4), "pages": (28, 4), "free list": (32, 4), "free pages": (36, 4),
    "schema cookie": (40, 4), "schema format": (44, 4), "cache size": (48, 4),
    "largest root": (52, 4), "encoding": (56, 4), "user version": (60, 4), "vacuum": (64, 4),
    "application": (68, 4), "version valid for": (92, 4), "library": (96, 4),
}
SIZES = (0, 1, 2, 3, 255, 512, 4096, 32_768, 65_535, 65_536, 1 << 24, (1 << 31) - 1, 1 << 31,
         (1 << 32) - 1)


def numbers(closed, left):
    """Each number of a header, a log and a row, replaced by each extreme."""
    for field, (offset, size) in HEADER.items():
        for number in SIZES:
            if number < 1 << 8 * size:
                yield (f"the header's {field} is {number}",
                       functools.partial(poked, closed, NAME, offset, number, size))
    for field in range(8):
        for number in SIZES:
            yield (f"word {field} of the log's header is {number}",
                   functools.partial(logged, left, number, header_word=field))
    for field in range(4):
        for number in SIZES:
            yield (f"word {field} of the log's last frame is {number}",
                   functools.partial(logged, left, number, frame_word=field))
    yield from cells(closed)


def cells(closed):
    with opened(closed) as database:
        tables = [row[0] for row in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'words%'")]
        found = []
        for table in tables:
            rows = database.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in rows.description]
            first = rows.fetchone()
            found += [(table, column) for column, value in zip(columns, first or ())
                      if isinstance(value, (int, float))]
        found += [("OpenSwiftData", row[0]) for row in database.execute(
            "SELECT key FROM OpenSwiftData WHERE typeof(value) = 'integer'")]
    for table, column in found:
        for extreme in EXTREMES:
            if table == "OpenSwiftData":
                sql = f"UPDATE OpenSwiftData SET value = {extreme} WHERE key = '{column}'"
            else:
                sql = (f'UPDATE OR REPLACE "{table}" SET "{column}" = {extreme} WHERE rowid = '
                       f'(SELECT min(rowid) FROM "{table}")')
                if table == "Specimen.friends":
                    sql = f'UPDATE OR REPLACE "{table}" SET "{column}" = {extreme} WHERE position = 0'
            yield f"{column} of {table} is {extreme}", functools.partial(changed, closed, [sql])


def crafted(closed, left):
    """Databases in which little says much."""
    yield from histories(closed)
    yield from schemas(closed)
    yield from values(closed)
    yield from logs(closed, left)


def histories(closed):
    lists = {
        "a range of 2^24 keys": "[1,16777216]",
        "a range of 2^62 keys": "[1,4611686018427387904]",
        "a range to the end of numbers": "[1,9223372036854775807]",
        "a range backwards": "[9,1]",
        "the same range again and again": repeated("[1,16777216]"),
        "ranges that begin alike": ",".join(f"[1,{n}]" for n in range(2, 80_000)),
        "very many keys": ",".join(map(str, range(1, 130_000))),
    }
    for name, keys in lists.items():
        for kind in ("insert", "update", "delete"):
            extra = ',"properties":["weight"]' if kind == "update" else ""
            yield f"history with {name}, {kind}", functools.partial(
                changed, closed, [set_history(f'[{{"{kind}":"Specimen","keys":[{keys}]{extra}}}]')])
    groups = repeated('{"insert":"Shelf","keys":[[1,4294967296]]}')
    texts = {"20,000 groups with a range each": f"[{groups}]", "brackets": "[" * ROOM,
             "a text": "x" * ROOM, "a number": "1" * ROOM,
             "groups in groups": '[{"insert":' * 80_000}
    for name, text in texts.items():
        yield f"history of {name}", functools.partial(changed, closed, [set_history(text)])
    many = """
        WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO _history (number, timestamp, author, bundle, process, changes, total)
        SELECT i, 0, NULL, 'b', '1', '[{"insert":"Shelf","keys":[[1,16777216]]}]', i FROM n"""
    yield "history of 5,000 transactions with a range each", functools.partial(
        changed, closed, [many, "UPDATE OpenSwiftData SET value = 5000 WHERE key = 'saves'"])


def set_history(text):
    return f"UPDATE _history SET changes = '{text}' WHERE number = 1"


def schemas(closed):
    """The same schemas that a document may have, in a database's table."""
    with opened(closed) as database:
        text = database.execute("SELECT value FROM OpenSwiftData WHERE key = 'schema'").fetchone()[0]
    # A document of nothing else, in which those schemas are made.
    envelope = b'{\n"schema": %s,\n"entities": {' % text.encode()
    for name, make in extreme_documents.schemas({extreme_documents.NAME: envelope}):
        content = make()[extreme_documents.NAME]
        schema = content[len(b'{\n"schema": '):-len(b',\n"entities": {')].decode()
        quoted = schema.replace("'", "''")
        json.loads(schema)
        yield name, functools.partial(
            changed, closed, [f"UPDATE OpenSwiftData SET value = '{quoted}' WHERE key = 'schema'"])


def values(closed):
    cells = {
        "a list of lists": ("words", f"'{'[' * 60_000}{']' * 60_000}'"),
        "a list of very many": ("words", f"'[{repeated('1')}]'"),
        "objects in objects": ("place", "'" + '{"x":' * 50_000 + "1" + "}" * 50_000 + "'"),
        "a long decimal": ("price", f"'{'1' * ROOM}'"),
        "a decimal with an exponent": ("price", "'1e999999999'"),
        "words that are looked for": ("notes", f"'{' '.join(f'w{n}' for n in range(100_000))}'"),
        "one word": ("notes", f"'{'w' * ROOM}'"),
        "a text in place of a number": ("number", f"'{'9' * ROOM}'"),
        "data of nothing": ("raw", f"zeroblob({ROOM})"),
    }
    for name, (column, value) in cells.items():
        yield name, functools.partial(
            changed, closed, [f"UPDATE Specimen SET {column} = {value} WHERE _key = 2"])
    for size in ("4611686018427387904", "9223372036854775807", "-1", "3000000000"):
        yield f"a value file of {size} bytes", functools.partial(changed, closed, [
            f"""UPDATE Specimen SET photo = replace(photo, '20000', '{size}')"""])
    blocks = {"zeros": "zeroblob(60000)", "ones": "x'" + "ff" * 4_000 + "'",
              "a large count": "x'00000000ffffffffff7fffffffffff7fffffffffff7f'"}
    for name, block in blocks.items():
        for number in (1, 10):
            yield f"block {number} of the index of words is {name}", functools.partial(
                changed, closed,
                [f'UPDATE "words Specimen(notes)_data" SET block = {block} WHERE id = {number}'])


def logs(closed, left):
    """Logs with checksums that are right, of pages that are not there."""
    yield "a log of nothing", lambda: closed | {LOG: bytes(ROOM)}
    yield "a log of noise", lambda: closed | {LOG: b"\xff" * ROOM}
    yield "a log's header alone", lambda: left | {LOG: left[LOG][:32]}
    for pages in (0, 1, 1 << 20, (1 << 31) - 1, (1 << 32) - 2):
        yield f"a commit in the log that leaves {pages} pages", functools.partial(
            logged, left, pages, frame_word=1)


# Changing files.

class opened:
    """A database in a file of its own."""

    def __init__(self, files):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name, NAME)
        self.path.write_bytes(files[NAME])

    def __enter__(self):
        self.database = sqlite3.connect(self.path, isolation_level=None)
        return self.database

    def __exit__(self, *_):
        self.database.close()
        self.folder.cleanup()


def changed(files, statements):
    """A database after statements of another program."""
    with opened(files) as database:
        # The log is left out of it, whose file would be another one.
        database.execute("PRAGMA journal_mode = DELETE")
        for statement in statements:
            try:
                database.execute(statement)
            except (sqlite3.IntegrityError, OverflowError):
                # What the database itself does not take is in no file.
                pass
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        path = pathlib.Path(database.execute("PRAGMA database_list").fetchone()[2])
        return files | {NAME: path.read_bytes()}


def poked(files, name, offset, number, size):
    content = bytearray(files[name])
    content[offset:offset + size] = number.to_bytes(size, "big")
    return files | {name: bytes(content)}


def logged(left, number, header_word=None, frame_word=None):
    """A log with another word, and the checksums that it needs then."""
    log = bytearray(left[LOG])
    if header_word is not None:
        struct.pack_into(">I", log, 4 * header_word, number)
    size = struct.unpack_from(">I", left[LOG], 8)[0]
    order = ">" if left[LOG][3] & 1 else "<"
    sums = (0, 0)
    if header_word is None or header_word < 6:
        sums = checksum(log[:24], sums, order)
        struct.pack_into(">2I", log, 24, *sums)
    salts = bytes(log[16:24])
    count = valid_frames(left[LOG], size)
    for index in range(count):
        start = 32 + index * (24 + size)
        if frame_word is not None and index == count - 1:
            struct.pack_into(">I", log, start + 4 * frame_word, number)
        if header_word is not None:
            log[start + 8:start + 16] = salts
        sums = checksum(log[start:start + 8], sums, order)
        sums = checksum(log[start + 24:start + 24 + size], sums, order)
        struct.pack_into(">2I", log, start + 16, *sums)
    return left | {LOG: bytes(log)}


def valid_frames(log, size):
    """How many frames belong to the log's header; what follows is older."""
    count = 0
    while (start := 32 + count * (24 + size)) + 24 + size <= len(log):
        if log[start + 8:start + 16] != log[16:24]:
            break
        count += 1
    return count


def checksum(data, sums, order):
    """SQLite's checksum of a log, over words of either order."""
    first, second = sums
    for one, two in struct.iter_unpack(f"{order}2I", data):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second
