/// Rules of the contract without a check of their own, which the machine checks together with others.
enum MachineSentences {
  typealias Sentence = (id: String, text: String)

  /// The rules of RANDOM-301.
  static let always: [Sentence] = [
    ("IDENT-007", "References between new records are resolved in any order of the records."),
    ("IDENT-008", "New records may refer to themselves and to each other in a cycle."),
    ("IDENT-009", "An update may refer to a new record."),
    ("IDENT-010", "New records in lists keep their order."),
    ("IDENT-011", "A row keeps its own entity when a query for a superentity returns it."),
    ("ATOM-009", "Two updates of a row in one batch both take effect."),
    ("ATOM-013", "Every kind of request sees each change immediately."),
    ("QUERY-014", "Dates that differ by less than a millisecond compare as different."),
    ("SELECT-006", "The filter applies to rows before they are grouped."),
    ("DIRECT-002", "A query for one row returns the row of the last save."),
    (
      "DIRECT-010",
      "References that a producer writes to new rows of the same save refer to those rows."
    ),
    ("REL-007", "A row can be related to itself."),
    ("REL-008", "A one-to-one relationship is read back on both sides."),
    ("REL-009", "Related rows of many owners are returned in one call."),
    ("REL-010", "Related rows have their own entities."),
    ("REL-011", "Owners are found by identifiers with a superentity."),
    ("REL-014", "Related rows are returned under the owner's identifier as requested."),
    ("DELETE-004", "A deleted row has no related rows."),
    ("DELETE-005", "Deleting a row that does not exist has no effect."),
    ("DELETE-006", "A reference that is saved with the deletion of its row becomes nil."),
    ("DELETE-007", "A reference to a previously deleted row becomes nil."),
    ("UNIQUE-002", "Of two new records with equal unique values, the later one wins."),
    ("UNIQUE-007", "Two updates to equal unique values throw."),
    ("UNIQUE-008", "Rows may exchange their unique values in one batch."),
    ("UNIQUE-010", "A constraint applies to all entities that inherit it."),
    ("UNIQUE-011", "A constraint does not apply to unrelated entities."),
    ("UNIQUE-012", "A new record that has unique values of two rows throws."),
    ("UNIQUE-017", "A new record that matches one row by several constraints updates that row."),
    ("UNIQUE-021", "A reference to a record that was merged into a row refers to that row."),
    ("UNIQUE-022", "Saving a batch of related records again adds no rows."),
    ("UNIQUE-023", "UNIQUE-022 also applies if records precede the records that they refer to."),
    ("UNIQUE-026", "A merged row has the related rows of both, without duplicates."),
    ("UNIQUE-027", "The former one-to-one counterpart of a merged row loses its reference."),
    (
      "UNIQUE-029",
      "A new record updates a row of its own entity or of one that inherits from it, or throws."
    ),
    ("HIST-003", "A save that throws adds no transaction."),
    ("HIST-004", "A new record that was merged into a row is an update of that row."),
    ("HIST-005", "A reference that a deletion sets to nil is a change of its row."),
    ("HIST-008", "Transactions are returned in the requested order and number."),
    ("HIST-013", "Bulk changes are reported row by row, like any other."),
    ("HIST-021", "A change by a delete rule is distinguished from the program's changes."),
    ("HIST-022", "A change by a unique constraint is distinguished from the program's changes."),
    ("BATCH-002", "References to rows that a bulk deletion removes become nil."),
    ("BATCH-004", "The result contains the identifiers of updated and deleted rows."),
    ("BATCH-008", "Every kind of request sees a bulk change immediately."),
    ("VERSION-003", "A to-many list that the owner stores is part of the owner's row."),
    ("VERSION-006", "A row that a new record is merged into has the save's number."),
    (
      "VERSION-010",
      "If one version differs from the expected one, nothing of the batch is stored."
    ),
  ]

  /// The rules of RANDOM-401, for stores that are reopened.
  static let reopened: [Sentence] = [
    ("LIFE-012", "Reopening a store repeatedly changes nothing."),
    ("IDENT-006", "The identifier of a deleted row is not reused after the store is reopened."),
    ("ATOM-007", "A reopened store contains nothing of a batch that threw."),
    ("REL-013", "Related rows and their order persist when the store is reopened."),
    ("DELETE-008", "Deletions persist when the store is reopened."),
    ("UNIQUE-014", "Unique values are still unique when the store is reopened."),
    ("HIST-011", "The history persists when the store is reopened."),
    ("HIST-023", "Causes of changes persist when the store is reopened."),
  ]
}
