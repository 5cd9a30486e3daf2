"""In which states a store may be, by what the program that changed it has said."""


class Promise:
    """The allowed states after each line that a worker wrote.

    With a prefix allowed (durability `relaxed` after a loss of power) any earlier state is fine,
    as long as it is one. Where programs of several levels follow each other (`LEVEL full`), the last
    save of one with `full` is there in any case, and what others saved on top of it may be. Nothing is
    promised from a save with `none` to the next with `full`.
    """

    def __init__(self, allowed=(0,), allows_prefix=False):
        self.allowed = set(allowed)
        self.allows_prefix = allows_prefix
        self.level = "full"
        self.is_void = False

    def hear(self, line):
        match line.split():
            case ["TRY", number]:
                self.allowed.add(int(number))
                self.is_void |= self.level == "none"
            case ["LEVEL", level]:
                self.level = level
            case ["ACK" | "FOUND", number] if self.level == "full":
                self.allowed = {int(number)}
                self.is_void = False
            case ["ACK" | "FOUND", number]:
                self.allowed.add(int(number))
            case ["NAK", number, code] if code != "outcomeUnknown":
                self.allowed.discard(int(number))

    @property
    def text(self):
        """As `storeworker verify` takes it."""
        if self.allows_prefix:
            return f"0-{max(self.allowed)}"
        return ",".join(map(str, sorted(self.allowed)))
