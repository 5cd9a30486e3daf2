import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

/// Compares the indexes with a scan in Swift after each of many random saves.
@Suite("A full-text index after random saves")
struct SearchRandomTests {
  private static let properties = [("Note", "title"), ("Note", "body"), ("LongNote", "summary")]

  private func check(_ store: SQLiteStore, _ search: TextSearch, _ context: String) throws {
    for (entity, property) in Self.properties {
      for isOpposite in [false, true] {
        let found = try store.indexed(search, entity, property, isOpposite: isOpposite)
        let expected = try store.scanned(search, entity, property, isOpposite: isOpposite)
        #expect(found == expected, "\(context): \(property), \(search.text.debugDescription)")
      }
    }
  }

  private func record(_ random: inout SeededGenerator) -> DefaultSnapshot {
    let isLong = Bool.random(using: &random)
    return .new(
      isLong ? SearchSample.longNote : SearchSample.note,
      [
        "title": SearchSample.value(&random), "body": SearchSample.value(&random),
        "summary": isLong ? SearchSample.value(&random) : .null,
        "number": .integer(Int64.random(in: 0..<9, using: &random)),
      ]
    )
  }

  private func changes(
    _ stored: [DefaultSnapshot],
    _ random: inout SeededGenerator
  ) -> StoreChanges {
    var changes = StoreChanges()
    for _ in 0..<Int.random(in: 0...6, using: &random) { changes.inserted.append(record(&random)) }
    for row in stored {
      let isLong = row.persistentIdentifier.entityName == "LongNote"
      switch Int.random(in: 0..<8, using: &random) {
      case 0: changes.deleted.append(row.persistentIdentifier)
      case 1, 2:
        var values = ["body": SearchSample.value(&random)]
        if Bool.random(using: &random) { values["title"] = SearchSample.value(&random) }
        if isLong { values["summary"] = SearchSample.value(&random) }
        changes.updated.append(
          .change(
            row.persistentIdentifier,
            isLong ? SearchSample.longNote : SearchSample.note,
            values
          )
        )
      case 3:
        // An object that is not loaded is identified by the entity of the reference.
        let scope = PersistentIdentifier.Scope(
          storeIdentifier: row.persistentIdentifier.storeIdentifier,
          entityName: "Note"
        )
        changes.deleted.append(
          PersistentIdentifier(scope: scope, key: row.persistentIdentifier.key)
        )
      default: continue
      }
    }
    return changes
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `returns the same rows as a scan of the table`(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: seed)
    var store = try SQLiteStore.inFile(folder.path("a.db"), SearchSample.schema)
    var refused = 0
    for save in 0..<30 {
      let stored = try store.fetch(StoreQuery(entity: "Note"))
      do {
        _ = try store.apply(changes(stored, &random))
      } catch DataStoreError.uniqueConflict {
        refused += 1
      }
      if save.isMultiple(of: 10) {
        store = try SQLiteStore.inFile(folder.path("a.db"), SearchSample.schema)
      }
      for _ in 0..<6 {
        try check(store, SearchSample.search(&random), "seed \(seed), save \(save)")
      }
    }
    try store.erase()
    try check(store, TextSearch("sea"), "seed \(seed), erased")
    try store.insert([record(&random), record(&random)])
    try check(store, SearchSample.search(&random), "seed \(seed), after the erasure")
    #expect(refused < 30)
  }
}
