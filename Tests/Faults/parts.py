"""The parts of the harness."""

# In the order in which they run.
PARTS = [
    "sweeps", "compound", "kills", "limits", "faultydisks", "crashes", "powercuts", "blocks",
    "openfiles", "descriptors", "forks", "levels", "bindmounts", "extremes", "consumers",
    "mutations", "fuzzing", "processes", "tenants", "planted",
]
