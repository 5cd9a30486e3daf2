/// Rules of the contract without a check of their own, which the machine checks together with others.
enum MachineSentences {
  typealias Sentence = (id: String, text: String)

  /// The rules of RANDOM-301.
  static let always: [Sentence] = [
    ("IDENT-009", "An update may refer to a new record."),
    ("IDENT-010", "New records in lists keep their order."),
    ("QUERY-014", "Dates that differ by less than a millisecond compare as different."),
    ("DELETE-006", "A reference that is saved with the deletion of its row becomes nil."),
    ("UNIQUE-002", "Of two new records with equal unique values, the later one wins."),
    ("UNIQUE-007", "Two updates to equal unique values throw."),
    ("UNIQUE-008", "Rows may exchange their unique values in one batch."),
    ("UNIQUE-012", "A new record that has unique values of two rows throws."),
    ("UNIQUE-021", "A reference to a record that was merged into a row refers to that row."),
    ("UNIQUE-022", "Saving a batch of related records again adds no rows."),
    ("UNIQUE-023", "UNIQUE-022 also applies if records precede the records that they refer to."),
    ("UNIQUE-026", "A merged row has the related rows of both, without duplicates."),
    ("UNIQUE-027", "The former one-to-one counterpart of a merged row loses its reference."),
    ("HIST-004", "A new record that was merged into a row is an update of that row."),
    ("HIST-005", "A reference that a deletion sets to nil is a change of its row."),
    ("HIST-021", "A change by a delete rule is distinguished from the program's changes."),
    ("HIST-022", "A change by a unique constraint is distinguished from the program's changes."),
    ("BATCH-002", "References to rows that a bulk deletion removes become nil."),
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
    ("HIST-023", "Causes of changes persist when the store is reopened."),
  ]
}
