"""Judges registers, counters and accounts of a history."""

import bisect
import collections

from histories import NEVER, Operation


def anomalies(history, total):
    yield from registers(history)
    yield from counters(history)
    yield from accounts(history, total)


def accounts(history, total):
    """Transfers keep the sum, whenever it is read."""
    for one in history.of_kind("sum"):
        if one.happened and int(one.result[0]) != total:
            yield f"{one} read {one.result[0]}, not {total}: half a transfer"
    if history.final.get("sum") != total:
        yield f"the accounts have {history.final.get('sum')} at the end, not {total}"


def counters(history):
    """Each acknowledged increment gave the counter a value of its own, in the order of time."""
    by_counter = collections.defaultdict(list)
    for one in history.of_kind("add", "raise"):
        by_counter[int(one.arguments[0])].append(one)
    for counter, all_ in by_counter.items():
        done = [one for one in all_ if one.happened]
        unknown = sum(one.outcome == "U" for one in all_)
        final = history.final.get("counters", {}).get(counter)
        if final is None or not len(done) <= final <= len(done) + unknown:
            yield (f"counter {counter} is {final} after {len(done)} acknowledged increments"
                   f" and {unknown} of unknown outcome")
        by_value = {}
        seen = [one for one in done if one.kind == "add"]
        for one in seen:
            value = int(one.result[0])
            if value in by_value:
                yield f"lost update: {by_value[value]} and {one} both made it {value}"
            by_value[value] = one
        yield from falling(seen)


def falling(increments):
    """Increments that gave a smaller value than one that had ended before they began."""
    ended = sorted((one.ended, int(one.result[0])) for one in increments)
    times, highest, most = [], [], 0
    for time, value in ended:
        most = max(most, value)
        times.append(time)
        highest.append(most)
    for one in increments:
        index = bisect.bisect_left(times, one.began) - 1
        if index >= 0 and int(one.result[0]) <= highest[index]:
            yield f"{one} made it {one.result[0]} after it had been {highest[index]}"


def registers(history):
    """Each register behaves as if its operations happened one at a time."""
    by_register = collections.defaultdict(list)
    for one in history.of_kind("read", "write"):
        by_register[int(one.arguments[0])].append(one)
    final = history.final.get("registers", {})
    for register in by_register.keys() | final.keys():
        operations = by_register[register]
        # What the store holds at the end is one more read, after everything.
        last = max((one.began for one in operations), default=0)
        last = max([last] + [one.ended for one in operations if one.ended != NEVER]) + 1
        end = Operation(-1, 0, last, "read", [str(register)], "O", last + 1,
                        [str(final.get(register, 0))])
        yield from zones(register, operations + [end])


def zones(register, operations):
    """Judges one register by the zones of its values (Gibbons and Korach).

    A value's zone is what lies between the first end and the last beginning of the operations that
    wrote or read it. Where the end comes first the value was there all through the zone: two such
    zones never overlap, and no value has its whole life within one.
    """
    writes = {int(one.arguments[1]): one for one in operations if one.kind == "write"}
    reads = collections.defaultdict(list)
    for one in operations:
        if one.kind == "read" and one.happened:
            reads[int(one.result[0])].append(one)
    # Before everything the register was zero.
    writes[0] = Operation(-1, -1, -2, "write", [str(register), "0"], "O", -1)
    forward, backward = [], []
    for value in writes.keys() | reads.keys():
        write = writes.get(value)
        if write is None:
            yield f"{reads[value][0]} read {value}, which nobody wrote"
            continue
        if not write.can_have_happened:
            if reads[value]:
                yield f"dirty: {write} failed, but {reads[value][0]} read its value"
            continue
        if write.outcome == "U" and not reads[value]:
            continue
        if any(one.ended < write.began for one in reads[value]):
            yield f"{write} was read before it began"
        cluster = [write] + reads[value]
        first_end = min(one.ended for one in cluster)
        last_beginning = max(one.began for one in cluster)
        if first_end < last_beginning:
            forward.append((first_end, last_beginning, value))
        else:
            backward.append((last_beginning, first_end, value))
    yield from conflicts(register, sorted(forward), backward)


def conflicts(register, forward, backward):
    for (_, end, value), (start, _, other) in zip(forward, forward[1:]):
        if start < end:
            yield f"register {register} had both {value} and {other} at the same time (stale read)"
            return
    starts = [start for start, _, _ in forward]
    for start, end, value in backward:
        index = bisect.bisect_left(starts, start) - 1
        if index >= 0 and end < forward[index][1]:
            yield (f"register {register} was {value} while it was {forward[index][2]}:"
                   " an acknowledged write was passed over")
            return
