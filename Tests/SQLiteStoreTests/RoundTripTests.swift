import Foundation
import SQLiteStore
import StoreProtocol
import StructuredText
import Testing

@Suite("A stored value")
struct RoundTripTests {
  /// A value of a property that a store might change by mistake.
  struct Hard: Sendable, CustomTestStringConvertible {
    let property: String
    let value: StoreValue
    // Foundation traps when it prints a date of NaN.
    var testDescription: String {
      "\(property): \(((try? JSONText.encoded(value)) ?? "").prefix(60))"
    }
  }

  static let values: [Hard] =
    [.bool(true), .bool(false)].map { Hard(property: "bool", value: $0) }
    + [-128, 127].map { Hard(property: "int8", value: .integer($0)) }
    + [.min, -1, 0, .max].map { Hard(property: "int64", value: .integer($0)) }
    + [.integer(0), .integer(.max), .unsigned(UInt64(Int64.max) + 1), .unsigned(.max)].map {
      Hard(property: "uint64", value: $0)
    }
    + numbers.map { Hard(property: "double", value: .double($0)) }
    + [0.1, -0.0, .infinity, .nan].map { (number: Float) in
      Hard(property: "float", value: number.storeValue)
    }
    + numbers.map {
      Hard(property: "date", value: .date(Date(timeIntervalSinceReferenceDate: $0)))
    }
    + ["0", "1.10", "-0.1", "12345678901234567890123456789012345678", "1e-100", "NaN"].map {
      Hard(property: "decimal", value: .decimal(Decimal(string: $0) ?? .nan))
    }
    + strings.map { Hard(property: "string", value: .string($0)) }
    + [Data(), Data([0, 1, 255]), Data(count: 100_000)].map {
      Hard(property: "data", value: .data($0))
    }
    + [UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))].map {
      Hard(property: "uuid", value: .uuid($0))
    }
    + ["https://example.org/ä?q=1#f", "file:///tmp/a%20b", ""].map {
      Hard(property: "url", value: .string($0))
    }
    + JSONTextTests.hardValues

  static let numbers: [Double] = [
    0, -0.0, 1, 0.1, .pi, -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude, Double(bitPattern: 0x7FF8_0000_0000_0001), 4_503_599_627_370_497.5,
    Date.distantFuture.timeIntervalSinceReferenceDate, 9_007_199_254_740_992,
  ]

  static let strings = [
    "", "a", "a\0b", "\0", "é", "e\u{301}", "\u{212A}", "K", "ß", "ı", "İ", "👩‍👩‍👧", "%_\\'\"",
    "\u{FEFF}",
    "\r\n", String(repeating: "ä", count: 100_000), "1", "1.0", "NULL",
  ]

  @Test(arguments: values)
  func `is read back bit for bit`(_ hard: Hard) throws {
    let store = try SQLiteStore.inMemory()
    let identifiers = try store.insert([.new(SampleSchema.values, [hard.property: hard.value])])
    let record = try #require(try store.record(identifiers[0]))
    let isEqual = record[hard.property] == hard.value
    #expect(isEqual)
  }

  @Test(arguments: values)
  func `is read back bit for bit through the row reader`(_ hard: Hard) throws {
    let store = try SQLiteStore.inMemory()
    try store.insert([.new(SampleSchema.values, [hard.property: hard.value])])
    let index = try #require(SampleSchema.values.indexByName[hard.property])
    var read: StoreValue?
    try store.read(StoreQuery(entity: "Values")) { reader in
      read = try Self.scalar(reader, index, hard.property)
    }
    let isEqual = read == hard.value
    #expect(isEqual)
  }

  private static func scalar(
    _ reader: RowReader,
    _ index: Int,
    _ property: String
  ) throws -> StoreValue {
    if try reader.isNull(at: index) { return .null }
    switch property {
    case "bool": return .bool(try reader.bool(at: index))
    case "int8", "int64": return .integer(try reader.integer(at: index))
    case "double", "float": return .double(try reader.double(at: index))
    case "date": return .date(try reader.date(at: index))
    case "string", "url": return .string(try reader.string(at: index))
    default: return try reader.value(at: index)
    }
  }

  @Test func `is null if the record had no value`() throws {
    let store = try SQLiteStore.inMemory()
    let identifiers = try store.insert([.new(SampleSchema.values)])
    let record = try #require(try store.record(identifiers[0]))
    #expect(record.values == Array(repeating: .null, count: record.values.count))
  }

  @Test func `is read back after the store was reopened`() throws {
    let folder = try TemporaryFolder()
    let values = Dictionary(
      Self.values.map { ($0.property, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
    let new = DefaultSnapshot.new(SampleSchema.values, values)
    do {
      let store = try SQLiteStore.inFile(folder.path("a.db"))
      try store.insert([new])
    }
    let store = try SQLiteStore.inFile(folder.path("a.db"))
    let record = try #require(try store.fetch(StoreQuery(entity: "Values")).first)
    let isEqual = record.values == new.values
    #expect(isEqual)
    #expect(record.persistentIdentifier.storeIdentifier == store.identifier)
  }

  @Test(arguments: [
    ("bool", StoreValue.integer(2)), ("int64", .string("1")), ("string", .integer(1)),
    ("date", .double(1)), ("uuid", .string("x")), ("next", .integer(1)),
  ])
  func `of another type is refused`(_ property: String, _ value: StoreValue) throws {
    let store = try SQLiteStore.inMemory()
    let entity = property == "next" ? SampleSchema.trip : SampleSchema.values
    #expect(throws: DataStoreError.invalidValue) {
      try store.insert([.new(entity, [property: value])])
    }
    #expect(try store.count(StoreQuery(entity: entity.name)) == 0)
  }

  @Test func `is readable by other tools`() throws {
    let store = try SQLiteStore.inMemory()
    try store.insert([
      .new(
        SampleSchema.values,
        [
          "bool": .bool(true), "string": .string("Ulm"), "double": .double(1.5),
          "date": .date(Date(timeIntervalSinceReferenceDate: 0)),
          "codable": .composite([.init("city", .string("Ulm"))]),
        ]
      )
    ])
    let text = try store.text(
      """
      SELECT bool || '|' || string || '|' || double || '|'
        || datetime(date + 978307200, 'unixepoch') || '|' || json_extract(codable, '$.city')
      FROM "Values"
      """
    )
    #expect(text == "1|Ulm|1.5|2001-01-01 00:00:00|Ulm")
  }
}
