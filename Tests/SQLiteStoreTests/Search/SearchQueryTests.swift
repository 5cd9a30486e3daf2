import Foundation
import QueryEvaluation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A query with a search")
struct SearchQueryTests {
  private static func body(_ name: String = "body") -> QueryExpression {
    .property(.element(0), name)
  }

  private static let above = QueryExpression.property(.element(0), "above")

  /// The ways in which a predicate can contain a search.
  private static func filters(_ search: TextSearch) -> [(String, QueryExpression, isIndexed: Bool)]
  {
    let found = QueryExpression.searches(body(), search)
    let isNovel = QueryExpression.compare(
      .equal,
      .property(.element(0), "number"),
      .constant(.integer(3))
    )
    let chained = QueryExpression.map(body(), variable: 1, body: .searches(.element(1), search))
    let isFound = QueryExpression.compare(.equal, chained, .constant(.bool(true)))
    return [
      ("found", found, true), ("not", .not(found), true), ("and", .and([isNovel, found]), true),
      ("or", .or([isFound, isNovel]), true), ("not and", .not(.and([isFound, isNovel])), true),
      ("or where nil traps", .or([found, isNovel]), false),
      ("unwrapped", .searches(.unwrap(body()), search), true),
      ("of the row above", .searches(.property(above, "title"), search), true),
      ("not of the row above", .not(.searches(.property(above, "body"), search)), true),
      ("two up", .searches(.property(.property(above, "above"), "body"), search), true),
      ("chained", isFound, true),
      ("chained or", .coalesce(chained, .constant(.bool(true))), true),
      ("without an index", .searches(body("kind"), search), false),
      (
        "of text or another", .searches(.coalesce(body(), .constant(.string("sea"))), search), false
      ),
    ]
  }

  private func filled(_ random: inout SeededGenerator) throws -> SQLiteStore {
    let store = try SQLiteStore.inMemory(SearchSample.schema)
    var stored: [PersistentIdentifier] = []
    for _ in 0..<40 {
      let above = Bool.random(using: &random) ? stored.randomElement(using: &random) : nil
      let record = DefaultSnapshot.new(
        Bool.random(using: &random) ? SearchSample.note : SearchSample.longNote,
        [
          "title": SearchSample.value(&random), "body": SearchSample.value(&random),
          "kind": SearchSample.value(&random), "above": above.map { .identifier($0) } ?? .null,
          "number": .integer(Int64.random(in: 0..<5, using: &random)),
        ]
      )
      // A long note with the title of another note is refused.
      do { stored += try store.insert([record]) } catch DataStoreError.uniqueConflict {}
    }
    return store
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `returns the same result as the evaluator`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try filled(&random)
    let rows = try store.fetch(StoreQuery(entity: "Note")).map { record in
      let isLong = record.persistentIdentifier.entityName == "LongNote"
      return SnapshotRow(record, isLong ? SearchSample.longNote : SearchSample.note)
    }
    let evaluator = QueryEvaluator<SnapshotRow>(
      schema: SearchSample.schema,
      row: { identifier in rows.first { $0.identifier.key == identifier.key } },
      members: { _, _ in [] }
    )
    for _ in 0..<25 {
      let search = SearchSample.search(&random)
      for (name, filter, _) in Self.filters(search) {
        let query = StoreQuery(entity: "Note", filter: filter)
        let expected = try evaluator.evaluate(query, over: rows).map(\.identifier.key)
        let found = try store.identifiers(query).map(\.key)
        #expect(found == expected, "seed \(seed), \(name), \(search.text.debugDescription)")
      }
    }
  }

  @Test func `is evaluated completely by SQL, and by an index if there is one`() throws {
    let store = try SQLiteStore.inMemory(SearchSample.schema)
    for (name, filter, isIndexed) in Self.filters(TextSearch("sea -rain")) {
      let plan = try store.plan(StoreQuery(entity: "Note", filter: filter))
      #expect(plan.isNative, "\(name)")
      #expect(plan.sql.contains(" MATCH ") == isIndexed, "\(name): \(plan.sql)")
    }
  }

  @Test func `of a damaged index returns the right rows or reports an error`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    do {
      var random = SeededGenerator(seed: 7)
      try SQLiteStore.inFile(path, SearchSample.schema).insert(
        (0..<200).map { _ in .new(SearchSample.note, ["body": SearchSample.value(&random)]) }
      )
    }
    let whole = try Data(contentsOf: URL(filePath: path))
    func found(_ search: TextSearch, in store: SQLiteStore) throws -> [[PersistentIdentifier]] {
      try Self.filters(search).map {
        try store.identifiers(StoreQuery(entity: "Note", filter: $0.1))
      }
    }
    var random = SeededGenerator(seed: 8)
    let searches = (0..<30).map { _ in SearchSample.search(&random) }
    let expected = try {
      let store = try SQLiteStore.inFile(path, SearchSample.schema)
      return try searches.map { try found($0, in: store) }
    }()
    for (search, expected) in zip(searches, expected) {
      var damaged = whole
      for _ in 0..<8 {
        let offset = Int.random(in: 4_096..<damaged.count, using: &random)
        damaged[offset] = UInt8.random(in: 0...255, using: &random)
      }
      try damaged.write(to: URL(filePath: path))
      do {
        let store = try SQLiteStore.inFile(path, SearchSample.schema)
        if try found(search, in: store) != expected { #expect(try store.verify() != []) }
        try store.insert([.new(SearchSample.note, ["body": SearchSample.value(&random)])])
      } catch {
        #expect(error is DataStoreError)
      }
    }
  }
}
