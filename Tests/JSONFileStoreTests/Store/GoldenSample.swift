import Foundation
import JSONFileStore
import StoreProtocol

/// What the stores in `Golden` hold: every kind of property, with values at the edge of each.
///
/// The files were written by the build that brought their format out, and never change. Whoever
/// changes this breaks the tests that read them.
enum GoldenSample {
  /// How a store of a folder is laid out.
  enum Kind: String, CaseIterable {
    /// A document alone.
    case document
    /// A document and a journal that changes, adds and removes rows.
    case journal
    /// A document, a journal, and values in files of their own.
    case files
    /// An indented document alone.
    case indented
  }

  static let formats = ["v1", "v2", "v3"]

  static let schema = Schema(
    storeSchema: StoreSchema(version: "1.2.0", entities: [thing, special, shelf])
  )

  private static let thing = StoreEntity(
    name: "Thing",
    properties: properties,
    uniquenessConstraints: [["name"], ["i16", "u8"]],
    indices: [["day"], ["i64", "name"]]
  )

  private static let special = StoreEntity(
    name: "Special",
    superentity: "Thing",
    root: "Thing",
    properties: properties + [StoreProperty(name: "note", kind: .attribute(.string))],
    uniquenessConstraints: [["name"], ["i16", "u8"]],
    indices: [["day"], ["i64", "name"]]
  )

  private static let shelf = StoreEntity(
    name: "Shelf",
    properties: [
      StoreProperty(name: "label", kind: .attribute(.string), isUnique: true),
      StoreProperty(
        name: "things",
        kind: .toMany(
          StoreRelationship(destination: "Thing", inverse: "shelf", inverseIsToOne: true)
        )
      ),
    ]
  )

  private static let types: [(String, AttributeType)] = [
    ("bool", .bool), ("i8", .int8), ("i16", .int16), ("i32", .int32), ("i64", .int64),
    ("u8", .uint8), ("u16", .uint16), ("u32", .uint32), ("u64", .uint64), ("float", .float),
    ("double", .double), ("decimal", .decimal), ("url", .url), ("day", .date), ("data", .data),
    ("uuid", .uuid), ("codable", .codable),
  ]

  private static let properties: [StoreProperty] =
    [
      StoreProperty(name: "name", kind: .attribute(.string)),
      StoreProperty(
        name: "photo",
        kind: .attribute(.data),
        isOptional: true,
        options: ["externalStorage"]
      ),
      StoreProperty(
        name: "shelf",
        kind: .toOne(StoreRelationship(destination: "Shelf", inverse: "things")),
        isOptional: true
      ),
      StoreProperty(
        name: "friends",
        kind: .toMany(StoreRelationship(destination: "Thing", inverse: "friends"))
      ),
      StoreProperty(
        name: "next",
        kind: .toOne(StoreRelationship(destination: "Thing")),
        isOptional: true
      ),
      StoreProperty(name: "mood", kind: .attribute(.string), options: ["ephemeral"]),
    ] + types.map { StoreProperty(name: $0, kind: .attribute($1), isOptional: true) }

  /// The attributes of each row by its name; what is missing is null.
  static let attributes: [String: [String: StoreValue]] = [
    "largest": [
      "bool": .bool(true), "i8": .integer(127), "i16": .integer(32_767),
      "i32": .integer(2_147_483_647), "i64": .integer(.max), "u8": .integer(255),
      "u16": .integer(65_535), "u32": .integer(4_294_967_295), "u64": .unsigned(.max),
      "float": .double(Double(Float.greatestFiniteMagnitude)),
      "double": .double(.greatestFiniteMagnitude),
      "decimal": .decimal(decimal("99999999999999999999999999999999999999")),
      "day": .date(Date(timeIntervalSinceReferenceDate: 252_423_993_599)),
      "data": .data(Data((0...255).map(UInt8.init))), "uuid": .uuid(uuid),
      "url": .string("https://example.org/a%20b?c=d#e"),
      "photo": .data(Data(repeating: 9, count: 500)),
    ],
    "smallest": [
      "bool": .bool(false), "i8": .integer(-128), "i16": .integer(-32_768),
      "i32": .integer(-2_147_483_648), "i64": .integer(.min), "u8": .integer(0),
      "u16": .integer(0), "u32": .integer(0), "u64": .integer(0),
      "float": .double(Double(Float.leastNonzeroMagnitude)),
      "double": .double(.leastNonzeroMagnitude),
      "decimal": .decimal(decimal("-0.00000000000000000000000000000000000001")),
      "day": .date(Date(timeIntervalSinceReferenceDate: -63_114_076_800)), "data": .data(Data()),
      "photo": .data(Data(repeating: 0, count: 101)),
    ],
    "odd é \u{1F600} \"\\\n\u{0}": [
      "double": .double(-.infinity), "float": .double(-0.0), "i16": .integer(1),
      "day": .date(Date(timeIntervalSinceReferenceDate: 0.1)), "url": .string(""),
      "codable": .composite([
        .init("list", .array([.null, .bool(true), .integer(-1), .unsigned(.max), .double(0.5)])),
        .init("day", .date(Date(timeIntervalSinceReferenceDate: 1e-300))),
        .init("kinds", .array([.decimal(decimal("1.5")), .data(Data([0, 255])), .uuid(uuid)])),
        .init("nested", .composite([.init("$a", .string("b")), .init("$a", .string("c"))])),
      ]),
    ],
    "special": [
      "note": .string(""), "double": .double(.nan), "i64": .integer(9_007_199_254_740_993),
      "day": .date(Date(timeIntervalSinceReferenceDate: 1.0 / 3)), "codable": .array([]),
    ],
    "late": ["decimal": .decimal(.nan), "float": .double(0.1)],
  ]

  /// The names in the order of the rows' keys, which begin at 2: the shelf has the first.
  static let names = ["largest", "smallest", "odd é \u{1F600} \"\\\n\u{0}", "special", "late"]

  private static func decimal(_ text: String) -> Decimal {
    Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? 0
  }

  private static let uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))

  static func configuration(_ kind: Kind, _ url: URL) -> JSONFileStoreConfiguration {
    var configuration = JSONFileStoreConfiguration(schema: schema, url: url)
    configuration.externalStorageThreshold = kind == .files ? 100 : .max
    configuration.layout = kind == .indented ? .indented : .lines
    configuration.busyTimeout = 0.5
    return configuration
  }
}
