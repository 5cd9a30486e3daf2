"""A disk that notes what is written to it and when it receives a flush.

A plugin of nbdkit (`nbdkit python block_log.py disk=FILE log=FILE`), and the reader of its log.
"""

import os
import struct

API_VERSION = 2
WRITE, ZERO, FLUSH = 1, 2, 3

_RECORD = struct.Struct("<BQI")
_files = {}


def config(key, value):
    """Called by nbdkit with each parameter."""
    flags = os.O_RDWR if key == "disk" else os.O_WRONLY | os.O_CREAT | os.O_APPEND
    _files[key] = os.open(value, flags, 0o600)


def open(readonly):  # noqa: A001: the name is nbdkit's
    return 1


def get_size(handle):
    return os.fstat(_files["disk"]).st_size


def pread(handle, buffer, offset, flags):
    buffer[:] = os.pread(_files["disk"], len(buffer), offset)


def pwrite(handle, buffer, offset, flags):
    _note(WRITE, offset, len(buffer), bytes(buffer))
    os.pwrite(_files["disk"], buffer, offset)


def zero(handle, count, offset, flags):
    _note(ZERO, offset, count)
    os.pwrite(_files["disk"], bytes(count), offset)


def trim(handle, count, offset, flags):
    """What is said to be of no use any more may stay as it is."""


def flush(handle, flags):
    _note(FLUSH, 0, 0)


def _note(kind, offset, count, data=b""):
    os.write(_files["log"], _RECORD.pack(kind, offset, count) + data)


def read_log(path):
    """What happened to the disk: kinds, offsets, bytes, and where in the log each record ends."""
    with os.fdopen(os.open(path, os.O_RDONLY), "rb") as file:
        log = file.read()
    position = 0
    while position + _RECORD.size <= len(log):
        kind, offset, count = _RECORD.unpack_from(log, position)
        position += _RECORD.size
        data = bytes(count) if kind == ZERO else log[position:position + count]
        position += count if kind == WRITE else 0
        yield kind, offset, data, position
