"""Judges transactions over several lists: each save appends to all lists that it read.

What the lists hold tells the order of the appends, and what a transaction read gives its position
among them. Together with the clock this gives a graph of what must have come before what; a
circle in it is something that no order of whole transactions explains.
"""

import collections

from histories import NEVER, read_lists

# What leads from one transaction to a later one, and what a circle of such steps is called.
WRITE, READ, OVERWRITE, TIME = "write", "read", "overwrite", "time"
KINDS = (
    ("circular information flow (G1c)", (WRITE, READ)),
    ("dependency cycle (G2)", (WRITE, READ, OVERWRITE)),
    ("order against the clock", (WRITE, READ, OVERWRITE, TIME)),
)


def anomalies(history):
    """Lost, dirty, repeated and misplaced values, and circles."""
    final = history.final.get("lists", {})
    writers = {}
    for one in history.of_kind("append"):
        for list_, value in appended(one).items():
            writers[value] = (one, list_)
    yield from strange_values(final, writers)
    yield from lost_values(final, writers)
    readers = [one for one in history.of_kind("append", "lists") if one.happened]
    sound = []
    for one in readers:
        complaint = misread(one, final)
        if complaint:
            yield complaint
        else:
            sound.append(one)
    yield from circles(sound, final, writers)


def appended(one):
    """The value that an append adds, by list."""
    return {int(key): int(value) for key, value in (word.split("=") for word in one.arguments)}


def seen(one):
    """What an operation read, by list."""
    return read_lists(one.result)


def strange_values(final, writers):
    """What is in a list at the end and should not be."""
    for list_, values in final.items():
        for value, count in collections.Counter(values).items():
            one, written = writers.get(value, (None, None))
            if count > 1:
                yield f"the value {value} is {count} times in list {list_}"
            if one is None or written != list_:
                yield f"nobody wrote the value {value} to list {list_}"
            elif not one.can_have_happened:
                yield f"dirty: {one} failed, but its value is in list {list_}"
            else:
                others = [other for other in appended(one) if other != list_]
                for other in others:
                    if appended(one)[other] not in final.get(other, []):
                        yield f"torn: {one} is in list {list_}, but not in list {other}"


def lost_values(final, writers):
    """Acknowledged appends that are not there at the end."""
    present = {value for values in final.values() for value in values}
    for value, (one, list_) in writers.items():
        if one.happened and value not in present:
            yield f"lost: {one} was acknowledged, but list {list_} is without {value}"


def misread(one, final):
    """What is wrong with what an operation read, by itself."""
    own = appended(one) if one.kind == "append" else {}
    for list_, values in seen(one).items():
        whole = final.get(list_, [])
        if whole[: len(values)] != values:
            return f"{one} read {values[-3:]} at the end of list {list_}, which never was so"
        if list_ in own and whole[len(values) : len(values) + 1] != [own[list_]]:
            return f"lost update: {one} appended to list {list_}, and something came between"
    return None


def circles(readers, final, writers):
    """One sentence for each kind of circle that is found."""
    edges = collections.defaultdict(list)
    for values in final.values():
        owners = [writers[value][0] for value in values if value in writers]
        for before, after in zip(owners, owners[1:]):
            add(edges, before, after, WRITE)
    for one in readers:
        for list_, values in seen(one).items():
            if values and values[-1] in writers:
                add(edges, writers[values[-1]][0], one, READ)
            following = final.get(list_, [])[len(values) : len(values) + 1]
            if following and following[0] in writers:
                add(edges, one, writers[following[0]][0], OVERWRITE)
    transactions = {one for values in writers.values() for one in values[:1]} | set(readers)
    add_times(edges, [one for one in transactions if one.can_have_happened])
    for name, kinds in KINDS:
        circle = find_circle(edges, kinds)
        if circle:
            steps = " -> ".join(str(one) for one in circle if not isinstance(one, Moment))
            yield f"{name}: {steps}"
            return


def add(edges, before, after, kind):
    if before is not after:
        edges[id(before)].append((before, after, kind))


class Moment:
    """A moment at which an operation had ended: what begins later comes after all before it."""


def add_times(edges, transactions):
    """Adds what the clock says, by a chain of moments instead of an edge for each pair."""
    events = [(one.began, 0, index) for index, one in enumerate(transactions)]
    events += [
        (one.ended, 1, index) for index, one in enumerate(transactions) if one.ended != NEVER
    ]
    last = None
    for _, is_end, index in sorted(events):
        one = transactions[index]
        moment = Moment() if is_end else one
        if last:
            add(edges, last, moment, TIME)
        if is_end:
            add(edges, one, moment, TIME)
            last = moment


def find_circle(edges, kinds):
    """A circle of steps of some kinds, by a search in depth without recursion."""
    done, path, positions = set(), [], {}
    for start in list(edges):
        if start in done:
            continue
        node = edges[start][0][0]
        stack = [(node, iter(edges[start]))]
        path.append(node)
        positions[start] = 0
        while stack:
            node, following = stack[-1]
            for _, after, kind in following:
                if kind not in kinds or id(after) in done:
                    continue
                if id(after) in positions:
                    return path[positions[id(after)] :] + [after]
                positions[id(after)] = len(path)
                path.append(after)
                stack.append((after, iter(edges.get(id(after), ()))))
                break
            else:
                stack.pop()
                path.pop()
                del positions[id(node)]
                done.add(id(node))
    return None
