"""Reading what `strace -f -y -xx` wrote: the system calls that succeeded, one after the other."""

import dataclasses
import re

# All that changes files or names, and what says which descriptor is which file.
TRACED = (
    "openat,open,creat,close,write,pwrite64,lseek,ftruncate,fsync,fdatasync,"
    "rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,"
    "writev,pwritev,pwritev2,truncate,fallocate,link,linkat,symlink,symlinkat,"
    "copy_file_range,sendfile,splice,sync_file_range,msync"
)

_LINE = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+)(?:<(.*?)>)?", re.DOTALL)
_RESUMED = re.compile(r"(\d+) +<\.\.\. \w+ resumed>(.*)", re.DOTALL)
_ARGUMENT = re.compile(r'"[^"]*"(?:\.\.\.)?|[^,"\s][^,"]*')
_DESCRIPTOR = re.compile(r"(\d+|AT_FDCWD)<(.*?)>")
_CUT = " <unfinished ...>"


def text(escaped):
    """The bytes behind `\\x61\\x62`, with or without quotes."""
    return bytes.fromhex(escaped.strip('"').replace("\\x", ""))


def escaped(string):
    """A text as strace writes it."""
    return "".join(f"\\x{byte:02x}" for byte in string.encode())


@dataclasses.dataclass(slots=True)
class Call:
    """A system call that succeeded."""

    name: str
    arguments: list
    result: int
    opened: str

    def descriptor(self, index=0):
        """An argument that is a descriptor: its number, and the path that it is open on."""
        match = _DESCRIPTOR.match(self.arguments[index].strip())
        if not match or match.group(1) == "AT_FDCWD":
            return None, text(match.group(2)).decode() if match else None
        path = match.group(2)
        return int(match.group(1)), text(path).decode() if path.startswith("\\x") else path

    def data(self, index):
        """An argument that is a string."""
        argument = self.arguments[index].strip()
        if argument.endswith("..."):
            raise ValueError(f"strace cut the data of a {self.name}")
        return text(argument)

    def number(self, index):
        return int(self.arguments[index].strip(), 0)

    def path(self, index, folder=None):
        """A path, which may be relative to the folder in another argument."""
        path = self.data(index).decode()
        if path.startswith("/") or folder is None:
            return path
        return f"{self.descriptor(folder)[1]}/{path}"


def read_calls(trace):
    """The calls of a trace in the order in which they ended."""
    begun = {}
    with open(trace, encoding="ascii", errors="replace") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line.endswith(_CUT):
                begun[line.split(" ", 1)[0]] = line[: -len(_CUT)]
                continue
            resumed = _RESUMED.match(line)
            if resumed:
                line = begun.pop(resumed.group(1), "") + resumed.group(2)
            match = _LINE.match(line)
            if match and int(match.group(4)) >= 0:
                opened = text(match.group(5)).decode() if match.group(5) else ""
                arguments = _ARGUMENT.findall(match.group(3))
                yield Call(match.group(2), arguments, int(match.group(4)), opened)
