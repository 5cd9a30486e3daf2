import StoreProtocol

/// Rules about required references.
///
/// The layer above rejects changes that would remove them, and a store applies the changes that it
/// receives.
enum RequiredReferenceRules {
  static let all: [Rule] = [
    .second("DELETE-009", "A required reference to a deleted row also becomes nil.", deletion),
    Rule(
      "DELETE-010",
      "Filters and sort orders treat a required reference to a deleted row as nil.",
      needs: [.nativeFiltering],
      since: 2,
      conditions
    ),
    Rule(
      "UNIQUE-028",
      "A new record that would remove a required reference of another row throws.",
      needs: [.uniqueness],
      since: 2,
      merging
    ),
    Rule(
      "BATCH-010",
      "A bulk deletion may remove a row that another requires, or that denies it, if the batch also "
        + "deletes that one, before or after; otherwise it throws.",
      needs: [.batch],
      since: 2,
      bulkDeletions
    ),
  ]

  private static let owner = StoreEntity(
    name: "Owner",
    properties: [
      SampleEntities.attribute("name", .string, isOptional: false, isUnique: true),
      SampleEntities.toOne("card", "Card", inverse: "owner", inverseIsToOne: true),
    ],
    uniquenessConstraints: [["name"]]
  )

  private static let card = StoreEntity(
    name: "Card",
    properties: [
      SampleEntities.attribute("name", .string, isOptional: false),
      SampleEntities.toOne(
        "owner",
        "Owner",
        inverse: "card",
        inverseIsToOne: true,
        isOptional: false
      ),
    ]
  )

  /// Inserts an owner with a card, which refer to each other.
  private static func insert(
    _ bench: StoreBench,
    _ names: (owner: String, card: String)
  ) throws -> [PersistentIdentifier] {
    var holder = Sample.record(of: owner, [.string(names.owner), .null])
    let held = Sample.record(
      of: card,
      [.string(names.card), .identifier(holder.persistentIdentifier)]
    )
    holder["card"] = .identifier(held.persistentIdentifier)
    return try bench.insert([holder, held])
  }

  private static func open(_ bench: StoreBench) throws {
    // A store that has been opened with another schema would have to migrate.
    let isUnique = try bench.withNeighbour { try $0.store.capabilities.uniqueness.isSupported }
    let entities = isUnique ? [owner, card] : [SampleEntities.withoutUniqueValues(owner), card]
    try bench.open(Schema(storeSchema: StoreSchema(entities: entities)))
  }

  private static func deletion(_ bench: StoreBench) throws {
    try open(bench)
    let kept = try insert(bench, ("Ada", "a"))
    let rows = try insert(bench, ("Bob", "b"))
    try bench.delete(rows[0])
    try expect("the reference", bench.value("owner", of: rows[1]), equals: .null)
    try expect("the other", bench.value("owner", of: kept[1]), equals: .identifier(kept[0]))
  }

  private static func conditions(_ bench: StoreBench) throws {
    try open(bench)
    let kept = try insert(bench, ("Ada", "a"))
    let rows = try insert(bench, ("Bob", "b"))
    try bench.delete(rows[0])
    let name = QueryExpression.property(.row("owner"), "name")
    let isAda = QueryExpression.compare(.equal, name, .string("Ada"))
    let isBelow = QueryExpression.compare(.less, name, .string("Z"))
    let isOwner = QueryExpression.row("owner", .equal, .identifier(kept[0]))
    let isNil = QueryExpression.row("owner", .equal, .null)
    for (filter, holds) in [
      (isOwner, kept[1]), (isAda, kept[1]), (isBelow, kept[1]), (isNil, rows[1]),
      (.compare(.equal, name, .constant(.null)), rows[1]),
    ] {
      let others = [kept[1], rows[1]].filter { $0 != holds }
      for (filter, expected) in [(filter, [holds]), (.not(filter), others)] {
        let found = try bench.store.identifiers(StoreQuery("Card", where: filter))
        try expect("the rows where \(filter)", found, equals: expected)
      }
    }
    guard try bench.store.capabilities.sorting == .native else { return }
    let sorted = try bench.store.identifiers(StoreQuery(entity: "Card", sort: [QuerySort(name)]))
    try expect("the rows by their owner's name", sorted, equals: [rows[1], kept[1]])
  }

  private static func bulkDeletions(_ bench: StoreBench) throws {
    let denied = StoreProperty(
      name: "loans",
      kind: .toMany(
        StoreRelationship(
          destination: "Loan",
          inverse: "owner",
          inverseIsToOne: true,
          deleteRule: Schema.Relationship.DeleteRule.deny.rawValue
        )
      ),
      isOptional: true
    )
    let loan = StoreEntity(
      name: "Loan",
      properties: [SampleEntities.toOne("owner", "Owner", inverse: "loans")]
    )
    let holder = StoreEntity(name: "Owner", properties: [owner.properties[1], denied])
    try bench.open(Schema(storeSchema: StoreSchema(entities: [card, holder, loan])))
    let orders = [
      ["Card", "Loan", "Owner"], ["Owner", "Loan", "Card"], ["Loan", "Owner", "Card"],
    ]
    // The layer above makes what a store leaves to it.
    for entity in orders[0] {
      let part = try bench.store.plan(.change(.delete(StoreQuery(entity: entity))))
      guard part.isComplete else { return }
    }
    for order in orders {
      var one = Sample.record(of: holder, [.null, .null])
      let reference = StoreValue.identifier(one.persistentIdentifier)
      let held = Sample.record(of: card, [.string("a"), reference])
      one["card"] = .identifier(held.persistentIdentifier)
      _ = try bench.insert([one, held, Sample.record(of: loan, [reference])])
      let deletions = order.map { BulkChange.delete(StoreQuery(entity: $0)) }
      for part in [["Owner"], ["Owner", "Loan"], ["Card", "Owner"]] {
        let some = deletions.filter { part.contains($0.query.entity) }
        try expectRefusal(bench, some, "\(part) alone")
      }
      try BatchRules.apply(bench, deletions)
      for entity in order {
        let count = try bench.store.count(StoreQuery(entity: entity))
        try expect("the rows of \(entity) after \(order)", count, equals: 0)
      }
    }
  }

  /// Checks that deletions throw as those of objects do, and change nothing.
  private static func expectRefusal(
    _ bench: StoreBench,
    _ deletions: [BulkChange],
    _ what: String
  ) throws {
    do {
      try BatchRules.apply(bench, deletions)
    } catch let error as SwiftDataError where error == .modelValidationFailure {
      return
    } catch let error as DataStoreError where error == .deletionDenied {
      return
    }
    throw RuleViolation("the deletion of \(what)", expected: "an error", found: "none")
  }

  private static func merging(_ bench: StoreBench) throws {
    try open(bench)
    let rows = try insert(bench, ("Ada", "a"))
    try expect("the merge", throws: .uniqueConflict) { _ = try insert(bench, ("Ada", "b")) }
    try expect("the cards", bench.names(of: "Card"), equals: ["a"])
    try expect("its owner", bench.value("owner", of: rows[1]), equals: .identifier(rows[0]))
    try expect("the owner's", bench.value("card", of: rows[0]), equals: .identifier(rows[1]))
    // Without the card that would lose its owner, the merge succeeds.
    try bench.delete(rows[1])
    let others = try insert(bench, ("Ada", "b"))
    try expect("the merged row", others[0], equals: rows[0])
    try expect("its card", bench.value("card", of: rows[0]), equals: .identifier(others[1]))
  }
}
