"""The parts of the harness."""

# In the order in which they run.
PARTS = [
    "sweeps", "compound", "kills", "limits", "faultydisks", "crashes", "powercuts", "blocks",
    "mutations", "fuzzing", "processes", "planted",
]
# What these show is not repaired yet: they run by name alone, and so do the faults planted for them.
WAITING = ["openfiles", "descriptors", "forks", "levels", "bindmounts", "extremes"]
