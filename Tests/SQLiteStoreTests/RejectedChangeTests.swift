import Foundation
import SQLTranslation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("An invalid change")
struct RejectedChangeTests {
  private let store: SQLiteStore
  private let tag: PersistentIdentifier
  private let trip: PersistentIdentifier
  private static let start = StoreValue.date(Date(timeIntervalSinceReferenceDate: 7))

  init() throws {
    store = try .inMemory()
    let saved = try store.insert([
      .new(SampleSchema.tag, ["name": .string("t")]),
      .new(SampleSchema.trip, ["name": .string("a"), "start": Self.start]),
    ])
    (tag, trip) = (saved[0], saved[1])
  }

  private func content() throws -> [DefaultSnapshot] {
    try SampleSchema.store.entities.filter { $0.superentity == nil }.flatMap {
      try store.fetch(StoreQuery(entity: $0.name))
    }
  }

  /// Expects an error that names the entity and the property, and an unchanged store.
  private func expect(
    _ code: DataStoreError,
    _ message: String,
    _ location: String,
    _ changes: StoreChanges
  ) throws {
    let before = try content()
    let error = try #require(throws: DataStoreError.self) { try store.apply(changes) }
    #expect(error == code)
    #expect(error.message.contains(message), "\(error)")
    #expect([error.entity, error.property].compactMap { $0 }.joined(separator: ".") == location)
    #expect(try content() == before)
    #expect(try store.verify() == [])
  }

  private func inserting(
    _ entity: StoreEntity,
    _ values: [String: StoreValue]
  ) -> StoreChanges {
    StoreChanges(inserted: [.new(entity, values)])
  }

  private func temporary(_ entity: String) -> PersistentIdentifier {
    PersistentIdentifier(
      scope: .init(storeIdentifier: nil, entityName: entity),
      key: .temporary(PersistentIdentifier.nextTemporaryNumber())
    )
  }

  @Test func `with a unique value of another type is refused`() throws {
    try expect(
      .invalidValue,
      "does not fit",
      "Tag.name",
      inserting(SampleSchema.tag, ["name": .integer(1)])
    )
  }

  @Test func `with another value for a to-many relationship is refused`() throws {
    try expect(
      .invalidValue,
      "does not fit the property",
      "Trip.tags",
      inserting(SampleSchema.trip, ["name": .string("b"), "tags": .integer(1)])
    )
  }

  @Test func `with another value for the to-many relationship of an updated row is refused`() throws
  {
    try expect(
      .invalidValue,
      "does not fit the property",
      "Tag.trips",
      inserting(SampleSchema.tag, ["name": .string("t"), "trips": .integer(1)])
    )
  }

  @Test func `that refers to an object outside the save is refused`() throws {
    try expect(
      .invalidValue,
      "an object that is not part of the save",
      "Tag.trips",
      inserting(
        SampleSchema.tag,
        ["name": .string("t"), "trips": .identifiers([temporary("Trip")])]
      )
    )
    try expect(
      .invalidValue,
      "an object that is not part of the save",
      "Trip.items",
      inserting(
        SampleSchema.trip,
        [
          "name": .string("a"), "start": Self.start, "items": .identifiers([temporary("Item")]),
        ]
      )
    )
  }

  @Test func `with an unsaved object in a structured value is refused`() throws {
    try expect(
      .invalidValue,
      "the value cannot be stored: it contains an object that was never saved",
      "Values.codable",
      inserting(SampleSchema.values, ["codable": .array([.identifier(temporary("Item"))])])
    )
  }

  @Test func `of a row that is not stored is refused`() throws {
    let gone = PersistentIdentifier(scope: tag.scope, key: .integer(999))
    let foreign = PersistentIdentifier(scope: tag.scope, key: .text("x"))
    for identifier in [gone, foreign, temporary("Tag")] {
      try expect(
        .conflict,
        "is no longer stored",
        "Tag",
        StoreChanges(updated: [.change(identifier, SampleSchema.tag, ["name": .string("u")])])
      )
    }
  }

  @Test(arguments: [[99], [-1], [0, 0]])
  func `that names a missing property, or one twice, is refused`(indices: [Int]) throws {
    let update = StoreUpdate(
      identifier: tag,
      changes: indices.map { StoreUpdate.Change($0, .string("u")) }
    )
    try expect(
      .invalidValue,
      "a property that the entity lacks, or names one twice",
      "Tag",
      StoreChanges(updated: [update])
    )
  }

  @Test func `of an entity that the schema lacks is refused`() throws {
    let missing = StoreEntity(name: "Nobody", properties: [])
    try expect(.schemaMismatch, "no such entity", "Nobody", inserting(missing, [:]))
    #expect(throws: DataStoreError.schemaMismatch) {
      try store.fetch(StoreQuery(entity: "Nobody"))
    }
  }

  @Test func `in bulk with a filter that SQL cannot evaluate is refused`() throws {
    let term = QueryExpression.compare(
      .notEqual,
      .property(.element(0), "title"),
      .constant(.string("y"))
    )
    var filter = term
    // Deeper than SQLite's parser accepts: such filters are evaluated in Swift.
    for _ in 0...ConditionTranslator.maximumDepth { filter = .and([filter, term]) }
    let query = StoreQuery(entity: "Item", filter: filter)
    let change = BulkChange.update(query, [StoreAssignment("title", .constant(.string("x")))])
    #expect(try !store.plan(.change(change)).isComplete)
    try expect(
      .unsupportedFeature,
      "cannot change these rows in one statement",
      "Item",
      StoreChanges(bulkChanges: [change])
    )
  }

  @Test func `in bulk of an entity that the schema lacks is refused`() throws {
    let change = BulkChange.update(StoreQuery(entity: "Nothing"), [])
    let error = try #require(throws: DataStoreError.self) { try store.plan(.change(change)) }
    #expect(error == .schemaMismatch)
  }

  @Test func `in bulk to a value that does not fit the attribute is refused`() throws {
    let parcel = StoreEntity(
      name: "Parcel",
      properties: [SampleSchema.attribute("stops", .int8, isOptional: false)]
    )
    let store = try SQLiteStore.inMemory(StoreSchema(entities: [parcel]))
    try store.insert([.new(parcel, ["stops": .integer(1)])])
    for (value, message) in [
      (StoreValue.null, "nil"), (.string("x"), "does not fit an attribute of type int8"),
    ] {
      let change = BulkChange.update(
        StoreQuery(entity: "Parcel"),
        [StoreAssignment("stops", .constant(value))]
      )
      #expect(try !store.plan(.change(change)).isComplete)
      let error = try #require(throws: DataStoreError.self) {
        try store.apply(StoreChanges(bulkChanges: [change]))
      }
      #expect(error == .invalidValue)
      #expect(error.message.contains(message), "\(error)")
      #expect(error.entity == "Parcel" && error.property == "stops")
      #expect(
        try store.fetch(StoreQuery(entity: "Parcel")).map { $0["stops"] } == [.integer(1)]
      )
    }
  }

  /// Values written directly, one of which does not fit its column.
  private struct Misfits: RowProducer {
    func write(_ position: Int, to writer: RowWriter) {
      for index in SampleSchema.values.properties.indices {
        writer.write(position == 1 && index == 1 ? .string("no number") : .null, at: index)
      }
    }
  }

  @Test func `by direct writing with a value that does not fit is refused`() throws {
    let before = try content()
    var changes = StoreChanges()
    changes.insertions = [.new(2, of: SampleSchema.values, from: Misfits())]
    let error = try #require(throws: DataStoreError.self) { try store.apply(changes) }
    #expect(error == .invalidValue)
    #expect(error.entity == "Values" && error.property == "int8")
    #expect(try content() == before)
  }
}
