import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Scalar values")
struct ScalarValueTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `are read back bit for bit, as attributes and inside other values`(store: EveryStore) throws
  {
    let fixture = try ContainerFixture(store, for: Scalars.self)
    let all = AllScalars.hard
    try {
      let context = try fixture.context()
      for (number, values) in all.enumerated() {
        let row = Scalars(number)
        row.set(values)
        context.insert(row)
      }
      try context.save()
    }()
    let rows = try fixture.context().fetch(
      FetchDescriptor<Scalars>(sortBy: [SortDescriptor(\.number)])
    )
    #expect(rows.count == all.count)
    for (row, values) in zip(rows, all) {
      let expected = try StoreValueEncoder.encode(values)
      #expect(try StoreValueEncoder.encode(row.values) == expected)
      #expect(try StoreValueEncoder.encode(row.optionalValues) == expected)
      #expect(try StoreValueEncoder.encode(row.whole) == expected)
      #expect(try StoreValueEncoder.encode(row.list) == .array([expected, .null]))
      #expect(try StoreValueEncoder.encode(row.table["key"]) == expected)
    }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `are read back bit for bit after updates, and can be set to nil`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Scalars.self)
    let all = AllScalars.hard
    let context = try fixture.context()
    let row = Scalars(0)
    context.insert(row)
    for values in all.prefix(8) {
      row.set(values)
      try context.save()
      let back = try #require(try ModelContext(context.container).all(Scalars.self).first)
      let expected = try StoreValueEncoder.encode(values)
      #expect(try StoreValueEncoder.encode(back.values) == expected)
      #expect(try StoreValueEncoder.encode(back.optionalValues) == expected)
    }
    row.clear()
    try context.save()
    let back = try #require(try ModelContext(context.container).all(Scalars.self).first)
    #expect(back.maybeBool == nil && back.maybeInt == nil && back.maybeUInt64 == nil)
    #expect(back.maybeFloat == nil && back.maybeDouble == nil && back.maybeString == nil)
    #expect(back.maybeCharacter == nil && back.maybeDate == nil && back.maybeData == nil)
    #expect(back.maybeUUID == nil && back.maybeURL == nil && back.maybeDecimal == nil)
    #expect(back.whole == nil)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `include relative URLs, which are read back as absolute URLs`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Scalars.self)
    let context = try fixture.context()
    let row = Scalars(0)
    row.maybeURL = URL(string: "b?c#d", relativeTo: URL(string: "https://example.com/a/"))
    context.insert(row)
    try context.save()
    let back = try #require(try ModelContext(context.container).all(Scalars.self).first)
    #expect(back.maybeURL == URL(string: "https://example.com/a/b?c#d"))
  }
}

/// One value of each plain type.
private struct AllScalars: Codable {
  var bool: Bool
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint: UInt
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var float: Float
  var double: Double
  var string: String
  var character: String
  var date: Date
  var data: Data
  var uuid: UUID
  var url: URL
  var decimal: Decimal

  /// Values that are easily lost, as many as there are strings.
  static var hard: [AllScalars] {
    (0..<HardValues.strings.count).map { number in
      func pick<T>(_ list: [T]) -> T { list[number % list.count] }
      let int = pick(HardValues.integers)
      let uint = pick(HardValues.unsignedIntegers)
      let string = pick(HardValues.strings)
      return AllScalars(
        bool: number % 2 == 0,
        int: Int(int),
        int8: pick([.min, .max, 0]),
        int16: pick([.min, .max, 0]),
        int32: pick([.min, .max, 0]),
        int64: int,
        uint: UInt(uint),
        uint8: pick([0, .max]),
        uint16: pick([0, .max]),
        uint32: pick([0, .max]),
        uint64: uint,
        float: pick(floats),
        double: pick(HardValues.doubles + [Double(nan: 77, signaling: false)]),
        string: string,
        character: String(string.first ?? "\0"),
        date: pick(HardValues.dates + lostDates),
        data: pick(HardValues.data),
        uuid: UUID(),
        url: pick(urls),
        decimal: pick(HardValues.decimals + [.nan])
      )
    }
  }

  private static let lostDates = [Double.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude]
    .map { Date(timeIntervalSinceReferenceDate: $0) }

  private static let floats: [Float] = [
    0, -0.0, 1.1, .nan, -.nan, Float(nan: 77, signaling: false), .infinity, -.infinity,
    .greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude, -1 / 3,
  ]

  private static let urls: [URL] =
    [
      URL(filePath: "/a b/ü"), URL(filePath: "/"),
    ] + ["https://example.com", "x:", "a/b?c=%20#d", "mailto:a@b.c"].compactMap { URL(string: $0) }
}

@Model
private final class Scalars {
  var number: Int
  var bool = false
  var int: Int = 0
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0
  var float: Float = 0
  var double: Double = 0
  var string: String = ""
  var character: Character = "x"
  var date: Date = Date(timeIntervalSinceReferenceDate: 0)
  var data: Data = Data()
  var uuid: UUID = UUID()
  var url: URL = URL(filePath: "/")
  var decimal: Decimal = 0
  var maybeBool: Bool?
  var maybeInt: Int?
  var maybeInt8: Int8?
  var maybeInt16: Int16?
  var maybeInt32: Int32?
  var maybeInt64: Int64?
  var maybeUInt: UInt?
  var maybeUInt8: UInt8?
  var maybeUInt16: UInt16?
  var maybeUInt32: UInt32?
  var maybeUInt64: UInt64?
  var maybeFloat: Float?
  var maybeDouble: Double?
  var maybeString: String?
  var maybeCharacter: Character?
  var maybeDate: Date?
  var maybeData: Data?
  var maybeUUID: UUID?
  var maybeURL: URL?
  var maybeDecimal: Decimal?
  var whole: AllScalars?
  var list: [AllScalars?] = []
  var table: [String: AllScalars] = [:]

  init(_ number: Int) {
    self.number = number
  }

  func set(_ values: AllScalars) {
    (bool, maybeBool) = (values.bool, values.bool)
    (int, maybeInt) = (values.int, values.int)
    (int8, maybeInt8) = (values.int8, values.int8)
    (int16, maybeInt16) = (values.int16, values.int16)
    (int32, maybeInt32) = (values.int32, values.int32)
    (int64, maybeInt64) = (values.int64, values.int64)
    (uint, maybeUInt) = (values.uint, values.uint)
    (uint8, maybeUInt8) = (values.uint8, values.uint8)
    (uint16, maybeUInt16) = (values.uint16, values.uint16)
    (uint32, maybeUInt32) = (values.uint32, values.uint32)
    (uint64, maybeUInt64) = (values.uint64, values.uint64)
    (float, maybeFloat) = (values.float, values.float)
    (double, maybeDouble) = (values.double, values.double)
    (string, maybeString) = (values.string, values.string)
    (character, maybeCharacter) = (Character(values.character), Character(values.character))
    (date, maybeDate) = (values.date, values.date)
    (data, maybeData) = (values.data, values.data)
    (uuid, maybeUUID) = (values.uuid, values.uuid)
    (url, maybeURL) = (values.url, values.url)
    (decimal, maybeDecimal) = (values.decimal, values.decimal)
    whole = values
    list = [values, nil]
    table = ["key": values]
  }

  func clear() {
    (maybeBool, maybeInt, maybeInt8, maybeInt16) = (nil, nil, nil, nil)
    (maybeInt32, maybeInt64, maybeUInt, maybeUInt8) = (nil, nil, nil, nil)
    (maybeUInt16, maybeUInt32, maybeUInt64, maybeFloat) = (nil, nil, nil, nil)
    (maybeDouble, maybeString, maybeCharacter, maybeDate) = (nil, nil, nil, nil)
    (maybeData, maybeUUID, maybeURL, maybeDecimal, whole) = (nil, nil, nil, nil, nil)
  }

  var values: AllScalars {
    AllScalars(
      bool: bool,
      int: int,
      int8: int8,
      int16: int16,
      int32: int32,
      int64: int64,
      uint: uint,
      uint8: uint8,
      uint16: uint16,
      uint32: uint32,
      uint64: uint64,
      float: float,
      double: double,
      string: string,
      character: String(character),
      date: date,
      data: data,
      uuid: uuid,
      url: url,
      decimal: decimal
    )
  }

  var optionalValues: AllScalars? {
    guard let maybeBool, let maybeInt, let maybeInt8, let maybeInt16, let maybeInt32,
      let maybeInt64, let maybeUInt, let maybeUInt8, let maybeUInt16, let maybeUInt32,
      let maybeUInt64, let maybeFloat, let maybeDouble, let maybeString, let maybeCharacter,
      let maybeDate, let maybeData, let maybeUUID, let maybeURL, let maybeDecimal
    else { return nil }
    return AllScalars(
      bool: maybeBool,
      int: maybeInt,
      int8: maybeInt8,
      int16: maybeInt16,
      int32: maybeInt32,
      int64: maybeInt64,
      uint: maybeUInt,
      uint8: maybeUInt8,
      uint16: maybeUInt16,
      uint32: maybeUInt32,
      uint64: maybeUInt64,
      float: maybeFloat,
      double: maybeDouble,
      string: maybeString,
      character: String(maybeCharacter),
      date: maybeDate,
      data: maybeData,
      uuid: maybeUUID,
      url: maybeURL,
      decimal: maybeDecimal
    )
  }
}
