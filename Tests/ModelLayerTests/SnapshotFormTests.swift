import ModelLayer
import StoreTestSupport
import Testing

@Model
private final class Sort {
  var name = ""
  var count = 0
  var small: Int8 = 0
  var price = 1.5
  var ratio: Double?
  var start = Date(timeIntervalSinceReferenceDate: 100_000)
  var token = UUID()
  var bytes = Data([1, 2])
  var cost: Decimal = 1.25
  var link = URL(string: "https://example.com/a")
  var reason = Reason.wellness
  var address: Address?
  var mood = Mood.loud(level: 3)
  var moments: [Date] = []
  var odd: [String: Int] = [:]
  var letter: Character = "x"
  var parent: Sort?
  @Relationship(inverse: \Sort.parent) var parts: [Sort] = []

  init(_ name: String) { self.name = name }
}

/// A store that keeps the JSON of its rows as one array.
private final class FormStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = FormStore
    var name = "forms"
    var schema: Schema?
    var contents = Contents()

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// The rows, and how they are coded.
  final class Contents: @unchecked Sendable {
    var json: [PersistentIdentifier: Data] = [:]
    var dates = JSONEncoder.DateEncodingStrategy.deferredToDate
    var parsing = JSONDecoder.DateDecodingStrategy.deferredToDate
    /// The rows as snapshots.
    var snapshots: [DefaultSnapshot] = []
    /// The types of the values by name, as an encoder sees them.
    var types: [String: String] = [:]
  }

  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let schema: Schema
  let identifier = "forms"

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    guard let schema = configuration.schema else { throw SwiftDataError.unknownSchema }
    self.configuration = configuration
    self.schema = schema
    // A store may read its rows when it is created.
    _ = try rows()
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let contents = configuration.contents
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID()
      )
    }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = contents.dates
    encoder.outputFormatting = .sortedKeys
    for snapshot in request.inserted + request.updated {
      let own = snapshot.persistentIdentifier
      let row = snapshot.copy(
        persistentIdentifier: remapped[own] ?? own,
        remappedIdentifiers: remapped
      )
      contents.json[row.persistentIdentifier] = try encoder.encode(row)
      contents.snapshots.append(row)
      let noting = NotingEncoder()
      try row.encode(to: noting)
      contents.types.merge(noting.notes.types) { old, _ in old }
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: try rows(),
      relatedSnapshots: [:]
    )
  }

  private func rows() throws -> [DefaultSnapshot] {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = configuration.contents.parsing
    return try configuration.contents.json.values.map {
      try decoder.decode(DefaultSnapshot.self, from: $0)
    }
  }
}

/// An encoder that notes the types of the members it is given.
private struct NotingEncoder: Encoder {
  final class Notes {
    var types: [String: String] = [:]
  }

  let notes = Notes()
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Container(notes: notes))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("not keyed") }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    preconditionFailure("not keyed")
  }

  struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let notes: Notes
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { notes.types[key.stringValue] = "nil" }
    func encode<T: Encodable>(_ value: T, forKey key: Key) {
      notes.types[key.stringValue] = "\(T.self)"
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy keyType: Nested.Type,
      forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { preconditionFailure("nested") }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      preconditionFailure("nested")
    }
    func superEncoder() -> any Encoder { preconditionFailure("nested") }
    func superEncoder(forKey key: Key) -> any Encoder { preconditionFailure("nested") }
  }
}

@Suite("The Codable form of a store's snapshots")
struct SnapshotFormTests {
  private let configuration = FormStore.Configuration()

  private func open() throws -> ModelContext {
    ModelContext(try ModelContainer(for: Sort.self, configurations: configuration))
  }

  private func saved(_ change: (Sort) -> Void = { _ in }) throws -> Sort {
    let context = try open()
    let sort = Sort("whole")
    sort.parts = [Sort("part")]
    change(sort)
    context.insert(sort)
    try context.save()
    let whole = FetchDescriptor<Sort>(predicate: #Predicate { $0.name == "whole" })
    return try #require(try open().fetch(whole).first)
  }

  @Test func `has the types of the properties`() throws {
    _ = try saved { $0.address = Address(street: "Via", number: 1) }
    let expected = [
      "persistentIdentifier": "PersistentIdentifier", "name": "String", "count": "Int",
      "small": "Int8", "price": "Double", "ratio": "nil", "start": "Date", "token": "UUID",
      "bytes": "Data", "cost": "Decimal", "link": "URL", "reason": "Reason",
      "address": "Address", "mood": "Mood", "moments": "Array<Date>",
      "odd": "Dictionary<String, Int>", "letter": "String", "parent": "nil",
      "parts": "Array<PersistentIdentifier>",
    ]
    #expect(configuration.contents.types == expected)
  }

  @Test(arguments: [0, 1, 2])
  func `is decoded exactly, whatever the strategy of dates`(_ strategy: Int) throws {
    let contents = configuration.contents
    if strategy == 1 { (contents.dates, contents.parsing) = (.iso8601, .iso8601) }
    if strategy == 2 {
      (contents.dates, contents.parsing) = (.millisecondsSince1970, .millisecondsSince1970)
    }
    let sort = try saved { sort in
      sort.price = 2
      sort.ratio = -0.0
      sort.address = Address(street: "Via", number: nil)
      sort.moments = [Date(timeIntervalSinceReferenceDate: 5)]
      sort.odd = ["$date": 1]
    }
    #expect(sort.price == 2)
    #expect(sort.ratio?.sign == .minus)
    #expect(sort.start == Date(timeIntervalSinceReferenceDate: 100_000))
    #expect(sort.bytes == Data([1, 2]))
    #expect(sort.cost == 1.25)
    #expect(sort.link == URL(string: "https://example.com/a"))
    #expect(sort.reason == .wellness)
    #expect(sort.address == Address(street: "Via", number: nil))
    #expect(sort.mood == .loud(level: 3))
    #expect(sort.moments == [Date(timeIntervalSinceReferenceDate: 5)])
    #expect(sort.odd == ["$date": 1])
    #expect(sort.letter == "x")
    #expect(sort.parts.map(\.name) == ["part"])
    #expect(sort.parts.first?.parent === sort)
  }

  @Test func `keeps numbers that JSON lacks`() throws {
    let sort = try saved { sort in
      sort.price = .infinity
      sort.ratio = .nan
      sort.start = .init(timeIntervalSinceReferenceDate: .infinity)
    }
    #expect(sort.price == .infinity)
    #expect(sort.ratio?.isNaN == true)
    #expect(sort.start.timeIntervalSinceReferenceDate == .infinity)
  }

  @Test func `is decoded from rows that were encoded with kinds`() throws {
    _ = try saved { sort in
      sort.address = Address(street: "Via", number: 2)
      sort.moments = [Date(timeIntervalSinceReferenceDate: 5)]
    }
    let contents = configuration.contents
    // Outside of the engine's calls, a record is encoded with the kinds of its values.
    for row in contents.snapshots {
      contents.json[row.persistentIdentifier] = try JSONEncoder().encode(row)
    }
    #expect(contents.json.values.contains { String(decoding: $0, as: UTF8.self).contains("$date") })
    let sorts = try open().fetch(FetchDescriptor<Sort>())
    #expect(sorts.count == 2)
    let whole = try #require(sorts.first { $0.name == "whole" })
    #expect(whole.address == Address(street: "Via", number: 2))
    #expect(whole.moments == [Date(timeIntervalSinceReferenceDate: 5)])
    #expect(whole.parts.map(\.name) == ["part"])
  }

  @Test func `is decoded from a row with some properties`() throws {
    let identifier = try PersistentIdentifier.identifier(
      for: "forms",
      entityName: "Sort",
      primaryKey: "a"
    )
    let coded = String(decoding: try JSONEncoder().encode(identifier), as: UTF8.self)
    configuration.contents.json[identifier] = Data(
      #"{"persistentIdentifier":\#(coded),"name":"x","price":3.5,"start":7,"reason":"family"}"#.utf8
    )
    let context = try open()
    let sort = try #require(try context.fetch(FetchDescriptor<Sort>()).first)
    #expect(sort.price == 3.5)
    #expect(sort.start == Date(timeIntervalSinceReferenceDate: 7))
    #expect(sort.reason == .family)
    #expect(sort.mood == .loud(level: 3))
    sort.count = 9
    try context.save()
    #expect(try open().fetch(FetchDescriptor<Sort>()).first?.count == 9)
  }
}
