"""All that is judged of a history, and proof that the judgement can be a bad one."""

import histories
import history_lists
import history_transactions
import history_values

TOTAL = 5_000

# What an orderly end looks like, for histories that are not about it.
FINAL = "LISTS 1= 2=\nREGISTERS 1=0\nCOUNTERS 1=0\nSUM 5000\nDONE"

# Histories made by hand: the logs of the processes, what is there at the end, and a part of the
# sentence that must be said of it; none where all is well.
PLANTED = {
    "a sound history": (
        ["I 1 10 append 1=11 2=12\nO 1 20 1= 2=\nI 2 50 write 1 5\nO 2 60",
         "I 1 15 lists 1 2\nO 1 40 1=11 2=12\nI 2 45 read 1\nO 2 70 5\nI 3 80 append 1=13\n"],
        FINAL.replace("1= 2=", "1=11,13 2=12").replace("1=0\nC", "1=5\nC")
        + "\nHISTORY prepare 0.1 0.2 1.3", None),
    "a lost append": (["I 1 10 append 1=11\nO 1 20 1="], FINAL, "lost"),
    "half of an append": (
        ["I 1 10 append 1=11 2=12\nO 1 20 1= 2="], FINAL.replace("1= 2=", "1=11 2="), "torn"),
    "an append of a failed save": (
        ["I 1 10 append 1=11\nF 1 20 notSaved"], FINAL.replace("1= ", "1=11 "), "dirty"),
    "an append that came twice": (
        ["I 1 10 append 1=11\nO 1 20 1="], FINAL.replace("1= ", "1=11,11 "), "2 times"),
    "an append that came between": (
        ["I 1 10 append 1=11\nO 1 40 1=", "I 1 10 append 1=12\nO 1 40 1="],
        FINAL.replace("1= ", "1=11,12 "), "lost update"),
    "a list that never was so": (
        ["I 1 10 append 1=11\nO 1 20 1=", "I 1 30 lists 1\nO 1 40 1=99"],
        FINAL.replace("1= ", "1=11 "), "never was so"),
    "two transactions that see each other": (
        ["I 1 10 append 1=11 2=12\nO 1 40 1= 2=21", "I 1 10 append 1=22 2=21\nO 1 40 1=11 2="],
        FINAL.replace("1= 2=", "1=11,22 2=21,12"), "G1c"),
    "a read of half a transaction": (
        ["I 1 10 append 1=11 2=12\nO 1 40 1= 2=", "I 1 10 lists 1 2\nO 1 40 1=11 2="],
        FINAL.replace("1= 2=", "1=11 2=12"), "G2"),
    "a read of an old state": (
        ["I 1 10 append 1=11\nO 1 20 1=", "I 1 30 lists 1\nO 1 40 1="],
        FINAL.replace("1= ", "1=11 "), "against the clock"),
    "two increments to one value": (
        ["I 1 10 add 1\nO 1 40 1", "I 1 10 add 1\nO 1 40 1"],
        FINAL.replace("1=0\nS", "1=1\nS"), "lost update"),
    "an increment that is gone": (["I 1 10 add 1\nO 1 40 1"], FINAL, "1 acknowledged increments"),
    "an increment without a value that is gone": (
        ["I 1 10 raise 1\nO 1 40"], FINAL, "1 acknowledged increments"),
    "an increment too many": (
        ["I 1 10 add 1\nO 1 40 1"], FINAL.replace("1=0\nS", "1=2\nS"), "1 acknowledged increments"),
    "increments against the clock": (
        ["I 1 10 add 1\nO 1 20 2", "I 1 30 add 1\nO 1 40 1"],
        FINAL.replace("1=0\nS", "1=2\nS"), "after it had been"),
    "half a transfer": (["I 1 10 sum\nO 1 20 4990"], FINAL, "half a transfer"),
    "money from nowhere": ([""], FINAL.replace("SUM 5000", "SUM 5001"), "at the end"),
    "a write that is gone": (["I 1 10 write 1 5\nO 1 20"], FINAL, "passed over"),
    "a write that was undone": (
        ["I 1 10 write 1 5\nO 1 20\nI 2 50 read 1\nO 2 60 5", "I 1 70 read 1\nO 1 80 0"],
        FINAL.replace("1=0\nC", "1=5\nC"), "at the same time"),
    "a read of a failed write": (
        ["I 1 10 write 1 5\nF 1 20 notSaved\nI 2 30 read 1\nO 2 40 5"], FINAL, "dirty"),
    "a read of nobody's value": (["I 1 10 read 1\nO 1 20 7"], FINAL, "nobody wrote"),
    "a read before the write": (
        ["I 1 10 read 1\nO 1 20 5", "I 1 30 write 1 5\nO 1 40"],
        FINAL.replace("1=0\nC", "1=5\nC"), "before it began"),
    "a store without a history": ([""], FINAL, "has no history"),
    "a save that is not in the history": (
        ["I 1 10 transfer 1 2 5\nO 1 20"], FINAL + "\nHISTORY prepare", "missing in the history"),
    "a save that is in the history twice": (
        ["I 1 10 transfer 1 2 5\nO 1 20"], FINAL + "\nHISTORY prepare 0.1 0.1", "2 times in the"),
    "a failed save that is in the history": (
        ["I 1 10 move 1 2\nF 1 20 notSaved"], FINAL + "\nHISTORY 0.1", "failed and is in the"),
    "a transaction of nobody": ([""], FINAL + "\nHISTORY prepare 7.1", "nobody made transaction"),
    "saves that are in the history in the wrong order": (
        ["I 1 10 transfer 1 2 5\nO 1 20", "I 1 30 transfer 1 2 5\nO 1 40"],
        FINAL + "\nHISTORY 1.1 0.1", "which began later"),
    "a history that makes another list": (
        ["I 1 10 append 1=11\nU 1 40 outcomeUnknown", "I 1 10 append 1=12\nU 1 40 outcomeUnknown"],
        FINAL.replace("1= ", "1=11,12 ") + "\nHISTORY 1.1 0.1", "but by the history [12, 11]"),
    "a history that has an append too late": (
        ["I 1 10 append 1=11\nO 1 40 1=", "I 1 10 append 1=12\nO 1 40 1=11"],
        FINAL.replace("1= ", "1=11,12 ") + "\nHISTORY 1.1 0.1", "but by the history ['1=']"),
    "a history that makes another register": (
        ["I 1 10 write 1 5\nO 1 40", "I 1 10 write 1 6\nO 1 40"],
        FINAL.replace("1=0\nC", "1=5\nC") + "\nHISTORY 0.1 1.1", "but by the history 6"),
    "a history that makes another counter": (
        ["I 1 10 add 1\nU 1 20 outcomeUnknown"], FINAL + "\nHISTORY 0.1", "by the history 1"),
    "a store that cannot be read": ([""], "LISTS 1=", "could not be read"),
    "a relationship with one end": ([""], FINAL.replace("DONE", "BROKEN piece 1\nDONE"), "piece"),
}


def judge(logs, final):
    """Everything that is wrong with the logs of some processes and the end that came of them.

    Returns the history as well.
    """
    history = histories.History()
    for process, lines in enumerate(logs):
        histories.read_log(process, lines, history)
    complaints = histories.read_final(final, history)
    complaints += history_lists.anomalies(history)
    complaints += history_values.anomalies(history, TOTAL)
    complaints += history_transactions.anomalies(history)
    return complaints, history


def check(harness):
    """Judges the histories above."""
    found = 0
    for name, (logs, final, wanted) in PLANTED.items():
        lines = [text.strip("\n").split("\n") if text else [] for text in logs]
        complaints, _ = judge([[line + "\n" for line in log] for log in lines], final.split("\n"))
        is_right = any(wanted in each for each in complaints) if wanted else not complaints
        found += is_right
        if not is_right:
            harness.fail(f"the checker says of {name}: {complaints}", "test-faults processes")
    harness.count("histories made by hand, judged rightly", found, len(PLANTED))
