"""Compares the history that the store itself keeps with what the processes logged.

Each transaction has the process and the number of its operation as its author.
"""

import collections

from histories import SAVES

# The saves that change something whatever is stored; others may find nothing to change.
CERTAIN = ("append", "write", "add", "raise", "transfer")
PREPARATION = "prepare"


def anomalies(history):
    """Each save is in the history once, in an order that the clock allows, and results in the final state."""
    transactions = history.final.get("transactions")
    if transactions is None:
        yield "the store has no history"
        return
    saves = {f"{one.process}.{one.number}": one for one in history.of_kind(*SAVES)}
    times = collections.Counter(transactions)
    for author, count in times.items():
        if count > 1:
            yield f"transaction {author} is {count} times in the history"
        if author not in saves and author != PREPARATION:
            yield f"nobody made transaction {author} of the history"
        elif author in saves and not saves[author].can_have_happened:
            yield f"{saves[author]} failed and is in the history (dirty)"
    for author, one in saves.items():
        if one.happened and one.kind in CERTAIN and author not in times:
            yield f"{one} is missing in the history"
    known = [saves[author] for author in transactions if author in saves]
    yield from order(known)
    yield from outcome(known, history.final)


def order(saves):
    """No save is in the history after one that began when it had ended."""
    latest = None
    for one in saves:
        if latest and one.ended < latest.began:
            yield f"the history has {one} after {latest}, which began later"
            return
        if not latest or one.began > latest.began:
            latest = one


def outcome(saves, final):
    """The saves, in the order of the history, read what they read and end as it ended."""
    lists = collections.defaultdict(list)
    registers = {}
    counters = collections.Counter()
    for one in saves:
        if one.kind == "append":
            wanted = [f"{key}={','.join(map(str, lists[key]))}" for key, _ in appended(one)]
            if one.happened and sorted(one.result) != sorted(wanted):
                yield f"{one} read {one.result}, but by the history {wanted} was there"
                return
            for key, value in appended(one):
                lists[key].append(value)
        elif one.kind == "write":
            register, value = map(int, one.arguments)
            registers[register] = value
        elif one.kind in ("add", "raise"):
            counter = int(one.arguments[0])
            counters[counter] += 1
            if one.result and one.happened and int(one.result[0]) != counters[counter]:
                yield f"{one} made it {one.result[0]}, but by the history {counters[counter]}"
                return
    for key, values in final.get("lists", {}).items():
        if lists[key] != values:
            yield f"list {key} is {values}, but by the history {lists[key]}"
    for key, value in final.get("registers", {}).items():
        if registers.get(key, 0) != value:
            yield f"register {key} is {value}, but by the history {registers.get(key, 0)}"
    for key, value in final.get("counters", {}).items():
        if counters[key] != value:
            yield f"counter {key} is {value}, but by the history {counters[key]}"


def appended(one):
    """The lists and values of an append."""
    return [tuple(map(int, pair.split("="))) for pair in one.arguments]
