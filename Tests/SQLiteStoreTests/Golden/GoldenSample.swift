import Foundation
import SQLiteStore
import StoreProtocol

/// What is in the golden files: every type with its hard values, a hierarchy, each kind of
/// relationship, constraints, indices, indexes of words, and values in files.
///
/// The files under `Golden/v1` were made by the build that had format 1, those under `Golden/v2` by
/// the one that brought format 2 and history, those under `Golden/v3` by the one that brought format 3
/// and unique numbers with NaN among them, those under `Golden/v4` by the one that brought the
/// identifiers of saves and the readers of the history, those under `Golden/v5` by the one that counts
/// saves by the history. They stay as they are forever, and so does this sample: another format gets
/// another folder.
enum GoldenSample {
  /// The folder of the golden files of a format, beside this file.
  static func folder(_ format: Int64) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "v\(format)")
  }

  static let types: [(String, AttributeType)] = [
    ("bool", .bool), ("int8", .int8), ("int16", .int16), ("int32", .int32), ("int64", .int64),
    ("uint8", .uint8), ("uint16", .uint16), ("uint32", .uint32), ("uint64", .uint64),
    ("float", .float), ("double", .double), ("decimal", .decimal), ("string", .string),
    ("date", .date), ("data", .data), ("uuid", .uuid), ("url", .url), ("codable", .codable),
  ]

  static let everything = StoreEntity(
    name: "Everything",
    properties: types.map { SampleSchema.attribute($0.0, $0.1) }
      + [SampleSchema.attribute("required", .string, isOptional: false)],
    indices: [["int64"], ["string", "date"]]
  )

  private static let animalProperties = [
    SampleSchema.attribute("name", .string),
    StoreProperty(
      name: "notes",
      kind: .attribute(.string),
      isOptional: true,
      options: ["fullText"]
    ),
    FileSample.external("photo", .data), FileSample.external("story", .string),
    FileSample.external("extra", .codable),
    StoreProperty(
      name: "home",
      kind: .toOne(StoreRelationship(destination: "Home", inverse: "animals")),
      isOptional: true
    ),
    StoreProperty(
      name: "friends",
      kind: .toMany(StoreRelationship(destination: "Animal", inverse: "friends"))
    ),
    StoreProperty(
      name: "idol",
      kind: .toOne(StoreRelationship(destination: "Animal")),
      isOptional: true
    ),
  ]

  static let animal = StoreEntity(
    name: "Animal",
    properties: animalProperties,
    uniquenessConstraints: [["name"]],
    indices: [["name"]]
  )

  static let dog = StoreEntity(
    name: "Dog",
    superentity: "Animal",
    root: "Animal",
    properties: animalProperties + [
      SampleSchema.attribute("chip", .int64), SampleSchema.attribute("select \"x\" 🐕", .bool),
    ],
    uniquenessConstraints: [["name"], ["chip"]],
    indices: [["name"]]
  )

  static let home = StoreEntity(
    name: "Home",
    properties: [
      SampleSchema.attribute("street", .string),
      StoreProperty(
        name: "animals",
        kind: .toMany(
          StoreRelationship(destination: "Animal", inverse: "home", inverseIsToOne: true)
        )
      ),
    ]
  )

  static let measure = StoreEntity(
    name: "Measure",
    properties: [SampleSchema.attribute("value", .double), SampleSchema.attribute("at", .date)],
    uniquenessConstraints: [["value"], ["at", "value"]]
  )

  static func schema(_ format: Int64) -> StoreSchema {
    StoreSchema(entities: [everything, animal, dog, home] + (format < 3 ? [] : [measure]))
  }

  /// The rows in the order of their keys, from 1 on; identifiers are those of a store.
  static func rows(in store: String, _ format: Int64) -> [DefaultSnapshot] {
    let at = { (entity: String, key: Int64) in
      PersistentIdentifier(
        scope: .init(storeIdentifier: store, entityName: entity),
        key: .integer(key)
      )
    }
    let rows: [(StoreEntity, [String: StoreValue])] =
      [
        (everything, least), (everything, greatest), (everything, odd),
        (everything, ["required": .string("")]),
        (
          home,
          ["street": .string("Main"), "animals": .identifiers([at("Dog", 7), at("Animal", 6)])]
        ),
        (animal, first.merging(["home": .identifier(at("Home", 5))]) { $1 }),
        (
          dog,
          second.merging([
            "home": .identifier(at("Home", 5)), "idol": .identifier(at("Animal", 6)),
            "friends": .identifiers([at("Animal", 6), at("Dog", 8)]),
          ]) { $1 }
        ),
        (dog, ["name": .string("e\u{301}"), "friends": .identifiers([at("Dog", 7)])]),
      ] + (format < 3 ? [] : measures.map { (measure, $0) })
    return rows.enumerated().map { index, row in
      DefaultSnapshot(
        persistentIdentifier: at(row.0.name, Int64(index + 1)),
        entity: row.0,
        values: row.0.properties.map {
          row.1[$0.name] ?? ($0.isToMany ? .identifiers([]) : .null)
        }
      )
    }
    .map { row in
      var row = row
      if row.persistentIdentifier == at("Animal", 6) {
        row["friends"] = .identifiers([at("Dog", 7)])
      }
      return row
    }
  }

  private static let first: [String: StoreValue] = [
    "name": .string("Cat"), "notes": .string("Hot springs, and the sea"),
    "photo": .data(Data((0..<300).map { UInt8($0 % 256) })),
    "story": .string(String(repeating: "é😀", count: 50)),
    "extra": .array((0..<60).map { .integer($0) }),
  ]

  private static let second: [String: StoreValue] = [
    "name": .string("Rex"), "notes": .string(""), "photo": .data(Data([1, 2, 3])),
    "story": .string("short"), "extra": .null, "chip": .integer(7),
    "select \"x\" 🐕": .bool(true),
  ]

  private static let measures: [[String: StoreValue]] = [
    ["value": .double(.nan)], ["value": .double(.nan)], ["value": .double(-0.0)],
    ["value": .double(1), "at": .date(Date(timeIntervalSinceReferenceDate: 0.1))], [:],
  ]

  private static let least: [String: StoreValue] = [
    "bool": .bool(false), "int8": .integer(-128), "int16": .integer(-32_768),
    "int32": .integer(-2_147_483_648), "int64": .integer(.min), "uint8": .integer(0),
    "uint16": .integer(0), "uint32": .integer(0), "uint64": .integer(0),
    "float": .double(-3.5), "double": .double(-.greatestFiniteMagnitude),
    "decimal": .decimal(Decimal(string: "-12345678901234567890.123456789") ?? 0),
    "string": .string(""), "date": .date(Date(timeIntervalSinceReferenceDate: -1e9)),
    "data": .data(Data()), "url": .string("https://example.org/a?b=c#d"),
    "codable": .composite([]), "required": .string("x"),
  ]

  private static let greatest: [String: StoreValue] = [
    "bool": .bool(true), "int8": .integer(127), "int16": .integer(32_767),
    "int32": .integer(2_147_483_647), "int64": .integer(.max), "uint8": .integer(255),
    "uint16": .integer(65_535), "uint32": .integer(4_294_967_295), "uint64": .unsigned(.max),
    "float": .double(3.5), "double": .double(.leastNonzeroMagnitude),
    "decimal": .decimal(Decimal(string: "0.1") ?? 0), "string": .string("z\u{0}é😀'\"\n"),
    "date": .date(Date(timeIntervalSinceReferenceDate: 0.1)),
    "data": .data(Data([0, 255, 128])),
    "uuid": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))),
    "codable": .composite([
      .init("a", .array([.integer(1), .double(2.5), .null, .bool(true)])),
      .init("$b", .composite([.init("c", .string("d"))])),
      .init("e", .date(Date(timeIntervalSinceReferenceDate: 1))), .init("f", .data(Data([1]))),
    ]),
    "required": .string("y"),
  ]

  private static let odd: [String: StoreValue] = [
    "float": .double(.nan), "double": .double(-0.0), "string": .string("e\u{301}"),
    "date": .date(Date(timeIntervalSinceReferenceDate: .infinity)),
    "codable": .array([.double(.nan), .double(-.infinity), .unsigned(.max)]),
    "decimal": .decimal(.nan), "required": .string("\u{212A}"),
  ]

  /// Makes a store with the rows.
  static func make(_ path: String) throws {
    let format = SQLiteStore.currentFormat
    let store = try SQLiteStore.withFiles(path, schema(format))
    let rows = rows(in: store.identifier, format)
    let temporary = Dictionary(
      uniqueKeysWithValues: rows.map { row in
        let entity = row.persistentIdentifier.entityName
        let number = PersistentIdentifier.nextTemporaryNumber()
        return (
          row.persistentIdentifier,
          PersistentIdentifier(
            scope: .init(storeIdentifier: nil, entityName: entity),
            key: .temporary(number)
          )
        )
      }
    )
    let records = rows.map { row in
      DefaultSnapshot(
        persistentIdentifier: temporary[row.persistentIdentifier] ?? row.persistentIdentifier,
        entity: entity(row),
        values: row.values.map { $0.replacing(temporary) }
      )
    }
    _ = try store.apply(StoreChanges(inserted: records, saveIdentifier: save, origin: .copy))
    try store.setHistoryReader(reader)
    try store.close()
  }

  /// The save that made the rows.
  static let save = UUID(ofSave: 1, in: "golden")

  /// The reader of the history, from format 4 on.
  static let reader = HistoryReaderPosition(
    name: "caf\u{E9}",
    number: 1,
    save: save,
    timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000)
  )

  private static func entity(_ row: DefaultSnapshot) -> StoreEntity {
    schema(SQLiteStore.currentFormat).entity(named: row.persistentIdentifier.entityName)
      ?? everything
  }
}

extension StoreValue {
  /// The value with other identifiers.
  fileprivate func replacing(_ others: [PersistentIdentifier: PersistentIdentifier]) -> StoreValue {
    switch self {
    case .identifier(let identifier): .identifier(others[identifier] ?? identifier)
    case .identifiers(let list): .identifiers(list.map { others[$0] ?? $0 })
    default: self
    }
  }
}
