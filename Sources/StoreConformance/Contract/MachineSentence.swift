/// A rule of the contract without a check of its own, which another rule checks together with others.
struct MachineSentence {
  /// The number of the rule.
  let id: String
  /// The rule in one sentence.
  let text: String
  /// The number of the rule that checks it.
  let rule: String

  /// All of them; a line with a number alone precedes those that the rule with that number checks.
  static let all: [MachineSentence] = {
    var rule = ""
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else {
        rule = words[0]
        return nil
      }
      return MachineSentence(id: words[0], text: words[1], rule: rule)
    }
  }()

  private static let text = """
    RANDOM-301
    LIFE-007 An erased store accepts new rows.
    IDENT-004 The identifier of a deleted row is never reused.
    IDENT-005 Identifiers from before an erasure are never reused.
    IDENT-007 References between new records are resolved in any order of the records.
    IDENT-008 New records may refer to themselves and to each other in a cycle.
    IDENT-009 An update may refer to a new record.
    IDENT-010 New records in lists keep their order.
    IDENT-011 A row keeps its own entity when a query for a superentity returns it.
    IDENT-016 A store with `nextKey()` uses the keys of a batch; later rows get other keys.
    VALUE-002 An update changes only the values that it contains.
    ATOM-009 Two updates of a row in one batch both take effect.
    ATOM-013 Every kind of request sees each change immediately.
    QUERY-002 A query can exclude the subentities.
    QUERY-014 Dates that differ by less than a millisecond compare as different.
    QUERY-017 A condition and its negation together match each row exactly once.
    QUERY-036 A row must satisfy both of two conditions, even if one index has both properties.
    QUERY-047 Saved changes of related rows affect results immediately.
    SELECT-006 The filter applies to rows before they are grouped.
    SORT-006 Canonically equivalent strings are equal in a sort order.
    SORT-009 Rows of several entities are sorted together.
    SORT-010 Values that barely differ are sorted correctly, and equal values by key.
    WINDOW-003 Offset and limit together return a range of the result.
    WINDOW-005 Offset and limit also apply to counts and identifiers.
    WINDOW-006 Offset and limit apply after the filter and the sort order.
    WINDOW-007 Offset and limit also apply to a query by identity.
    DIRECT-001 A query for one row returns the same row as one for several.
    DIRECT-002 A query for one row returns the row of the last save.
    DIRECT-008 All reads within `readingOneState` see one state, and delay no save of another thread.
    DIRECT-009 Rows and history within `readingOneState` agree, despite saves by others.
    DIRECT-010 References that a producer writes to new rows of the same save refer to those rows.
    REL-003 Related rows of REL-002 have the order that the owner stores; others follow by key.
    REL-004 A related row that changes its owner changes the lists of both owners.
    REL-005 To-many relationships without an inverse keep their elements and order.
    REL-006 Many-to-many relationships keep both lists in order.
    REL-007 A row can be related to itself.
    REL-008 A one-to-one relationship is read back on both sides.
    REL-009 Related rows of many owners are returned in one call.
    REL-010 Related rows have their own entities.
    REL-011 Owners are found by identifiers with a superentity.
    REL-014 Related rows are returned under the owner's identifier as requested.
    DELETE-004 A deleted row has no related rows.
    DELETE-005 Deleting a row that does not exist has no effect.
    DELETE-006 A reference that is saved with the deletion of its row becomes nil.
    DELETE-007 A reference to a previously deleted row becomes nil.
    UNIQUE-005 Each value of a compound constraint can be repeated.
    UNIQUE-007 Two updates to equal unique values throw.
    UNIQUE-008 Rows may exchange their unique values in one batch.
    UNIQUE-009 A batch may reuse the unique values that it frees.
    UNIQUE-010 A constraint applies to all entities that inherit it.
    UNIQUE-011 A constraint does not apply to unrelated entities.
    UNIQUE-012 A new record that has unique values of two rows throws.
    UNIQUE-013 A row can be updated with its own unique values.
    UNIQUE-017 A new record that matches one row by several constraints updates that row.
    UNIQUE-018 Unique strings within a batch are equal by canonical equivalence, even in a new store.
    UNIQUE-019 Erasing frees unique values.
    UNIQUE-020 A reference can be part of a compound constraint.
    UNIQUE-021 A reference to a record that was merged into a row refers to that row.
    UNIQUE-022 Saving a batch of related records again adds no rows.
    UNIQUE-023 UNIQUE-022 also applies if records precede the records that they refer to.
    UNIQUE-024 Unique references to deleted rows are not equal.
    UNIQUE-026 A merged row has the related rows of both, without duplicates.
    UNIQUE-027 The former one-to-one counterpart of a merged row loses its reference.
    UNIQUE-029 A new record updates a row of its own entity or of one that inherits from it, or throws.
    HIST-004 A new record that was merged into a row is an update of that row.
    HIST-005 A reference that a deletion sets to nil is a change of its row.
    HIST-009 Deleted transactions are gone, and the cut is moved behind them.
    HIST-010 Erasing the rows erases the history.
    HIST-012 A deletion contains the values of preserved attributes, and by default no others.
    HIST-013 Bulk changes are reported row by row, like any other.
    HIST-016 A position contains the identifier of the last save that it includes.
    HIST-017 The position of a reader is stored, and can move with a save.
    HIST-020 Deleting a row that does not exist is not reported.
    HIST-021 A change by a delete rule is distinguished from the program's changes.
    HIST-022 A change by a unique constraint is distinguished from the program's changes.
    BATCH-002 References to rows that a bulk deletion removes become nil.
    BATCH-004 The result contains the identifiers of updated and deleted rows.
    BATCH-005 If a batch throws, its bulk changes are not stored either.
    BATCH-006 Bulk changes are applied in order, before all other changes.
    BATCH-008 Every kind of request sees a bulk change immediately.
    VERSION-001 Each save has a greater number than all earlier saves.
    VERSION-003 A to-many list that the owner stores is part of the owner's row.
    VERSION-004 A related row that sets its owner does not change the owner.
    VERSION-006 A row that a new record is merged into has the save's number.
    VERSION-011 All ways to read a row return the same version.
    VERSION-018 The result of a save names its rows that refer to a row that does not exist.
    RANDOM-401
    LIFE-010 An erased store is empty when it is reopened.
    LIFE-012 Reopening a store repeatedly changes nothing.
    IDENT-006 The identifier of a deleted row is not reused after the store is reopened.
    ATOM-007 A reopened store contains nothing of a batch that threw.
    REL-013 Related rows and their order persist when the store is reopened.
    DELETE-008 Deletions persist when the store is reopened.
    UNIQUE-014 Unique values are still unique when the store is reopened.
    HIST-011 The history persists when the store is reopened.
    HIST-019 Identifiers of saves and positions of readers persist when the store is reopened.
    HIST-023 Causes of changes persist when the store is reopened.
    VERSION-012 After reopening, a save has a greater number than all rows.
    RANDOM-201
    QUERY-019 A Boolean attribute is a condition.
    QUERY-040 A reference can be compared with an object and with nil.
    QUERY-045 A condition can test the entity of a row.
    QUERY-046 A condition can test whether a reference is one of many objects.
    QUERY-060 The related rows of nil are nil, not an empty list.
    QUERY-061 The first and last related row follow the order of the relationship.
    QUERY-062 A condition on related rows can refer to the outer row.
    QUERY-063 An expression that Swift would not evaluate does not trap.
    QUERY-064 Related rows are tested in order, until one determines the result.
    QUERY-065 A range with a lower bound above its upper bound matches no row.
    QUERY-068 A condition can cast an object to a subentity.
    QUERY-069 A condition can select between two values.
    QUERY-070 Related rows that satisfy a condition can be counted.
    SELECT-002 Rows with equal keys are one group, and nil is a key.
    SELECT-003 Aggregates ignore nil.
    SELECT-004 Without keys, all rows are one group, even if there are no rows.
    SELECT-005 Groups are filtered, then sorted, and then limited.
    SORT-007 A sort order can follow a reference; the value is nil if the reference is nil.
    SORT-008 A sort order can use a computed value.
    QUERY-004
    QUERY-027 Every kind of request for an entity that the schema lacks throws.
    QUERY-104
    QUERY-012 Integers compare exactly, including the minimum and maximum.
    QUERY-110
    QUERY-013 NaN equals nothing, and -0.0 equals 0.0.
    QUERY-111
    QUERY-015 Decimal numbers compare exactly.
    QUERY-112
    QUERY-010 Strings are equal by canonical equivalence.
    QUERY-011 Strings are sorted as in Swift.
    QUERY-115
    QUERY-020 Data, UUIDs and URLs compare by content.
    UNIQUE-112
    UNIQUE-004 Unique strings are equal by canonical equivalence.
    LIMIT-010
    LIMIT-005 A query can request thousands of rows by identifier.
    CONC-005
    CONC-002 A read during saves sees only complete saves.
    CONC-003 Threads that update a row with its expected version lose no update.
    LIMIT-008
    ATOM-006 All changes of a long batch are stored.
    LIMIT-009
    QUERY-024 A condition can test membership in a list of any length.
    QUERY-035
    QUERY-023 String searches compare character by character.
    ATOM-010
    VERSION-005 An update without a change keeps the version.
    QUERY-030
    QUERY-066 Arrays have elements by index, dictionaries by key.
    QUERY-067 A list contains nil if one of its elements is nil.
    QUERY-071 Lists have a minimum and a maximum, or nil if they are empty.
    QUERY-031
    QUERY-021 A condition can use a property of a structured value.
    """
}
