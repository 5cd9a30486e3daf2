"""SQLite by itself, as a program has it that does not know of these dangers: the control.

Run as a program, it responds like `storeworker talk`, for a database of one table.
"""

import os
import sqlite3
import sys

from talker import Talker


class BareTalker(Talker):
    """A program with plain SQLite."""

    def __init__(self, harness, path):
        super().__init__(harness, path, command=[sys.executable, "-B", __file__, path])


def counts(path):
    """What another program finds, which closes the database after that."""
    connection = sqlite3.connect(path)
    try:
        return {row[0] for row in connection.execute("SELECT number FROM items")}
    except sqlite3.Error:
        # Not even the table.
        return set()
    finally:
        connection.close()


def respond(path, connections, line):
    match line.split():
        case ["open"]:
            connection = sqlite3.connect(path, isolation_level=None)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE IF NOT EXISTS items(number)")
            connections.append(connection)
        case ["put", number]:
            connections[0].execute("INSERT INTO items VALUES (?)", (int(number),))
        case ["read"]:
            with open(path, "rb") as file:
                file.read()
        case ["close"]:
            connections.pop().close()
        case ["leave"]:
            os._exit(0)
    return "ACK"


if __name__ == "__main__":
    open_connections = []
    for line in sys.stdin:
        try:
            print(respond(sys.argv[1], open_connections, line), flush=True)
        except sqlite3.Error as error:
            print(f"NAK {type(error).__name__}", flush=True)
