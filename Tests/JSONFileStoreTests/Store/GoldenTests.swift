import Foundation
import JSONFileStore
import StoreProtocol
import Testing

/// Tests that this version opens stores of released versions.
@Suite struct GoldenTests {
  private typealias Kind = GoldenSample.Kind

  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Golden")

  /// Opens a copy of a store.
  private func open(
    _ kind: Kind,
    _ format: String,
    in fixture: StoreFixture
  ) throws -> JSONFileStore {
    let golden = Self.folder.appending(path: format).appending(path: kind.rawValue)
    for name in try FileManager.default.contentsOfDirectory(atPath: golden.path) {
      try FileManager.default.copyItem(
        at: golden.appending(path: name),
        to: fixture.folder.appending(path: name)
      )
    }
    return try reopen(kind, in: fixture)
  }

  private func reopen(_ kind: Kind, in fixture: StoreFixture) throws -> JSONFileStore {
    let configuration = GoldenSample.configuration(kind, fixture.url)
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  private func things(_ store: JSONFileStore) throws -> [DefaultSnapshot] {
    try store.fetch(StoreQuery(entity: "Thing"))
  }

  @Test(arguments: Kind.allCases, GoldenSample.formats)
  private func `values of a golden store are read exactly`(kind: Kind, format: String) throws {
    let fixture = try StoreFixture()
    let store = try open(kind, format, in: fixture)
    #expect(store.identifier == "60D0E1F2-0000-4000-8000-000000000001")
    #expect(try store.verify() == [])
    let things = try things(store)
    #expect(things.map(\.persistentIdentifier.integerKey) == [2, 3, 4, 5, 7])
    for (name, thing) in zip(GoldenSample.names, things) {
      #expect(thing["name"] == .string(name))
      let expected = GoldenSample.attributes[name] ?? [:]
      let entity = thing.persistentIdentifier.entityName
      #expect(entity == (name == "special" ? "Special" : "Thing"))
      let properties = GoldenSample.schema.storeSchema.entity(named: entity)?.properties ?? []
      for property in properties where property.relationship == nil && property.name != "name" {
        let value = thing[property.name]
        // Strings distinguish zeros of both signs, which are equal.
        #expect(
          "\(value ?? .null)" == "\(expected[property.name] ?? .null)",
          "\(name).\(property.name)"
        )
        #expect(value == expected[property.name] ?? .null, "\(name).\(property.name)")
      }
    }
  }

  @Test(arguments: Kind.allCases, GoldenSample.formats)
  private func `relationships of a golden store are unchanged`(
    kind: Kind,
    format: String
  ) throws {
    let fixture = try StoreFixture()
    let store = try open(kind, format, in: fixture)
    let things = try things(store)
    let ids = things.map(\.persistentIdentifier)
    let shelf = try #require(try store.fetch(StoreQuery(entity: "Shelf")).first)
    #expect(shelf["label"] == .string("top"))
    #expect(shelf.persistentIdentifier.integerKey == 1)
    let members = try store.members(of: "things", in: "Shelf", owners: [shelf.persistentIdentifier])
    #expect(members[shelf.persistentIdentifier] == [ids[3], ids[0], ids[4]])
    #expect(things[0]["shelf"] == .identifier(shelf.persistentIdentifier))
    #expect(things[1]["shelf"] == .null)
    #expect(things[0]["friends"] == .identifiers([ids[2], ids[3]]))
    #expect(things[3]["friends"] == .identifiers([ids[0]]))
    #expect(things[2]["next"] == .identifier(ids[3]))
    #expect(things[4]["next"] == .null)
  }

  @Test(arguments: Kind.allCases, GoldenSample.formats)
  private func `a golden store keeps its unique constraints and can be changed`(
    kind: Kind,
    format: String
  ) throws {
    let fixture = try StoreFixture()
    let store = try open(kind, format, in: fixture)
    #expect(throws: DataStoreError.uniqueConflict) {
      try store.apply(StoreChanges(updated: [Self.rename(try things(store)[0], "smallest")]))
    }
    _ = try store.apply(StoreChanges(updated: [Self.rename(try things(store)[0], "renamed")]))
    let before = try things(store)
    #expect(before[0]["name"] == .string("renamed"))
    #expect(try store.verify() == [])
    try store.close()
    #expect(
      try fixture.names == (kind == .files ? ["items.json", "items.json.files"] : ["items.json"])
    )
    let again = try reopen(kind, in: fixture)
    #expect(try things(again) == before)
    #expect(try again.verify() == [])
    let new = try again.apply(StoreChanges(inserted: [Self.newShelf]))
    #expect(new.remapped.values.map(\.integerKey) == [8])
  }

  @Test(arguments: Kind.allCases, ["v2", "v3"])
  private func `a golden store has its history`(kind: Kind, format: String) throws {
    let fixture = try StoreFixture()
    let store = try open(kind, format, in: fixture)
    let history = try store.transactions(StoreHistoryQuery())
    #expect(history.map(\.number) == [2, 3])
    #expect(history.map(\.author) == ["é", nil])
    #expect(history[0].changes.map(\.properties) == [["name"]])
    #expect(history[0].changes[0].before == ["name": .string("largest")])
    #expect(history[1].changes.map(\.kind) == [.update])
    let bounds = try store.historyBounds()
    #expect((bounds.cut, bounds.last) == (0, 3))
    // Documents of format 2 have no identifiers of saves, and no readers.
    let isFormer = format == "v2"
    let saves = [2, 3].map { isFormer ? UUID(ofSave: $0, in: store.identifier) : Self.save($0) }
    #expect(history.map(\.saveIdentifier) == saves)
    #expect(history.map(\.origin) == [.program, isFormer ? .program : .maintenance])
    #expect(bounds.lastSave == saves[1])
    #expect(try store.historyReaders() == (isFormer ? [] : [Self.reader]))
  }

  private static func save(_ number: Int64) -> UUID { UUID(ofSave: number, in: "golden") }

  private static let reader = HistoryReaderPosition(
    name: "caf\u{E9}",
    number: 2,
    save: save(2),
    timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000)
  )

  // OPENSWIFTDATA_GOLDEN=FOLDER writes the files of this format there, from those of format 1.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["OPENSWIFTDATA_GOLDEN"] != nil))
  func `golden stores of this format are written`() throws {
    let target = ProcessInfo.processInfo.environment["OPENSWIFTDATA_GOLDEN"] ?? ""
    for kind in Kind.allCases {
      let fixture = try StoreFixture()
      do { _ = try open(kind, "v1", in: fixture) }
      var configuration = GoldenSample.configuration(kind, fixture.url)
      configuration.history = HistoryOptions(.values)
      let store = try JSONFileStore(configuration, migrationPlan: nil)
      let first = try things(store)[0]
      for author in ["é", nil] {
        var changes = StoreChanges(updated: [Self.rename(first, "largest")])
        changes.editingState.author = author
        changes.saveIdentifier = Self.save(author == nil ? 3 : 2)
        if author == nil {
          changes.origin = .maintenance
          changes.readers = [Self.reader]
        }
        _ = try store.apply(changes)
        if author != nil, kind != .document, kind != .indented { try store.compact() }
      }
      if kind == .document || kind == .indented { try store.compact() }
      let folder = URL(filePath: target).appending(path: kind.rawValue)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in try fixture.names where !name.hasSuffix(".lock") {
        try FileManager.default.copyItem(
          at: fixture.folder.appending(path: name),
          to: folder.appending(path: name)
        )
      }
    }
  }

  private static func rename(_ row: DefaultSnapshot, _ name: String) -> StoreUpdate {
    let index = row.names.index(of: "name") ?? 0
    return StoreUpdate(
      identifier: row.persistentIdentifier,
      changes: [.init(index, .string(name))]
    )
  }

  private static var newShelf: DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "Shelf"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      names: PropertyNames(["label", "things"]),
      values: [.string("new"), .identifiers([])]
    )
  }
}
