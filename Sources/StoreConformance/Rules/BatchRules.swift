import StoreProtocol

/// Rules about bulk changes that the store executes itself.
enum BatchRules {
  static let all: [Rule] = [
    rule(
      "BATCH-001",
      "A bulk deletion removes exactly the rows that its query matches.",
      deletion
    ),
    rule("BATCH-003", "A bulk update computes all values from the rows before the update.", update),
    rule(
      "BATCH-007",
      "A bulk deletion of an entity also deletes rows of its subentities.",
      families
    ),
    Rule(
      "BATCH-009",
      "A bulk update of rows by identifier is a conflict if one of them does not exist.",
      needs: [.batch],
      since: 2,
      missing
    ),
  ]

  private static let rule = Rule.making(needs: [.batch])

  /// Applies bulk changes, after a check that the store makes them itself.
  @discardableResult
  static func apply(
    _ bench: StoreBench,
    _ bulkChanges: [BulkChange]
  ) throws -> StoreChangesResult {
    for change in bulkChanges {
      let part = try bench.store.plan(.change(change))
      try expect("whether it makes all of \(change)", part.isComplete, equals: true)
      guard let count = part.rowCount else { continue }
      let rows = try bench.store.identifiers(change.query)
      try expect("the number of rows of \(change)", count, equals: rows.count)
    }
    return try bench.store.apply(StoreChanges(bulkChanges: bulkChanges))
  }

  private static func many(_ count: Int64) -> StoreQuery {
    StoreQuery(entity: "Exhibit", filter: .row("count", .greaterOrEqual, .integer(count)))
  }

  private static func more(_ query: StoreQuery, by number: Int64) -> BulkChange {
    let sum = QueryExpression.arithmetic(.add, .row("count"), .integer(number), .int64)
    return .update(query, [StoreAssignment("count", sum)])
  }

  private static func exhibits(_ bench: StoreBench) throws -> [PersistentIdentifier] {
    try bench.insert(
      [1, 2, 3, 4].map { count in
        try Sample.record("Exhibit", ["name": .string("e\(count)"), "count": .integer(count)])
      }
    )
  }

  private static func counts(_ bench: StoreBench) throws -> [StoreValue?] {
    try bench.store.fetch(StoreQuery(entity: "Exhibit")).map { $0["count"] }
  }

  private static func deletion(_ bench: StoreBench) throws {
    _ = try exhibits(bench)
    try apply(bench, [.delete(many(3))])
    try expect("the counts", counts(bench), equals: [1, 2].map { .integer($0) })
    try apply(bench, [.delete(StoreQuery(entity: "Exhibit"))])
    try expect("the counts", counts(bench), equals: [])
  }

  private static func update(_ bench: StoreBench) throws {
    _ = try exhibits(bench)
    try apply(bench, [more(many(2), by: 1)])
    try expect("the counts", counts(bench), equals: [1, 3, 4, 5].map { .integer($0) })
    let name = StoreAssignment("name", .string("same"))
    try apply(bench, [.update(many(4), [name])])
    try expect("the names", bench.names(of: "Exhibit"), equals: ["e1", "e2", "same", "same"])
  }

  private static func missing(_ bench: StoreBench) throws {
    let rows = try exhibits(bench)
    try bench.delete(rows[1])
    let changes = [
      more(many(4), by: 1),
      .update(.rows(rows, of: "Exhibit"), [StoreAssignment("count", .integer(9))]),
    ]
    try expect("the batch", throws: .conflict) { try apply(bench, changes) }
    try expect("the counts", counts(bench), equals: [1, 3, 4].map { .integer($0) })
    // Another save may also have deleted the rows of a deletion.
    try apply(bench, [.delete(.rows(Array(rows[..<3]), of: "Exhibit"))])
    try expect("the counts", counts(bench), equals: [.integer(4)])
  }

  private static func families(_ bench: StoreBench) throws {
    for entity in ["Animal", "Cat", "Puppy", "Dog"] {
      try bench.insert(entity, ["name": .string(entity)])
    }
    try apply(bench, [.delete(StoreQuery(entity: "Dog"))])
    try expect("the rows", bench.names(of: "Animal"), equals: ["Animal", "Cat"])
    try apply(bench, [.delete(StoreQuery(entity: "Animal", includesSubentities: false))])
    try expect("the rows", bench.names(of: "Animal"), equals: ["Cat"])
  }
}
