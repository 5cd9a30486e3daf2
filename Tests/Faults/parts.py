"""The parts of the harness."""

# In the order in which they run.
PARTS = [
    "sweeps", "groups", "compound", "kills", "limits", "fulldisks", "faultydisks", "crashes",
    "powercuts", "blocks", "openfiles", "descriptors", "forks", "levels", "bindmounts", "extremes",
    "consumers", "mutations", "fuzzing", "processes", "tenants", "planted",
]

# These build programs of their own, which takes as long as what they try. CI leaves them out.
BUILDING = ["fuzzing", "planted"]
QUICK = [part for part in PARTS if part not in BUILDING]
