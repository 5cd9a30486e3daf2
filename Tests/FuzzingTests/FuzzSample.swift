import Foundation
import StoreProtocol

@testable import JSONFileStore

/// A schema with every kind of property, and a store with rows of it.
enum FuzzSample {
  static let entity = StoreEntity(
    name: "Item",
    properties: properties,
    uniquenessConstraints: [["name"]],
    indices: [["number"]]
  )
  static let schema = Schema(storeSchema: StoreSchema(entities: [entity]))

  private static let attributes: [(String, AttributeType)] = [
    ("name", .string), ("flag", .bool), ("small", .int8), ("number", .int64), ("big", .uint64),
    ("ratio", .double), ("price", .decimal), ("day", .date), ("blob", .data), ("tag", .uuid),
    ("link", .url), ("extra", .codable),
  ]

  private static let properties: [StoreProperty] =
    attributes.map { StoreProperty(name: $0, kind: .attribute($1), isOptional: true) } + [
      StoreProperty(
        name: "photo",
        kind: .attribute(.data),
        isOptional: true,
        options: ["externalStorage"]
      ),
      StoreProperty(
        name: "parent",
        kind: .toOne(StoreRelationship(destination: "Item", inverse: "children")),
        isOptional: true
      ),
      StoreProperty(
        name: "children",
        kind: .toMany(
          StoreRelationship(destination: "Item", inverse: "parent", inverseIsToOne: true)
        )
      ),
      StoreProperty(
        name: "friends",
        kind: .toMany(StoreRelationship(destination: "Item", inverse: "friends"))
      ),
    ]

  /// A new row.
  static func row(
    _ values: [String: StoreValue],
    of entity: StoreEntity = entity
  )
    -> DefaultSnapshot
  {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: entity.name),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      entity: entity,
      values: entity.properties.map { values[$0.name] ?? .null }
    )
  }

  static let values: [String: StoreValue] = [
    "name": .string("Zoë \"x\"\n"), "flag": .bool(true), "small": .integer(-128),
    "number": .integer(.max), "big": .unsigned(.max), "ratio": .double(-0.0),
    "price": .decimal(Decimal(sign: .minus, exponent: -2, significand: 1250)),
    "day": .date(Date(timeIntervalSinceReferenceDate: 12.5)), "blob": .data(Data([0, 255])),
    "tag": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
    "link": .string("https://example.org/"),
    "extra": .composite([
      .init("a", .array([.null, .double(1), .date(Date(timeIntervalSinceReferenceDate: 1e-300))])),
      .init("$b", .decimal(1)),
    ]),
  ]

  /// A store with a few rows, closed.
  static func document() throws -> [UInt8] {
    try? FileManager.default.removeItem(at: FuzzFiles.document)
    try? FileManager.default.removeItem(at: FuzzFiles.journal)
    let store = try FuzzFiles.open(schema)
    let first = row(values)
    let second = row([
      "name": .string("b"), "ratio": .double(.nan), "day": .date(.distantFuture),
      "parent": .identifier(first.persistentIdentifier),
      "friends": .identifiers([first.persistentIdentifier]),
    ])
    _ = try store.apply(StoreChanges(inserted: [first, second]))
    try store.close()
    return FuzzFiles.bytes(FuzzFiles.document) ?? []
  }

  /// The journal of saves on top of that document.
  static func journal() throws -> [UInt8] {
    _ = try document()
    let store = try FuzzFiles.open(schema)
    defer { try? store.close() }
    let rows = try store.fetch(StoreQuery(entity: "Item"))
    _ = try store.apply(StoreChanges(inserted: [row(["name": .string("c")])]))
    _ = try store.apply(
      StoreChanges(
        updated: rows.prefix(1).map {
          StoreUpdate(identifier: $0.persistentIdentifier, changes: [.init(0, .string("d"))])
        }
      )
    )
    _ = try store.apply(StoreChanges(deleted: rows.suffix(1).map(\.persistentIdentifier)))
    return FuzzFiles.bytes(FuzzFiles.journal) ?? []
  }

  /// The texts of the journal's records, without what frames them.
  static func records() throws -> [UInt8] {
    let lines = try journal().split(separator: UInt8(ascii: "\n")).dropFirst()
    return Array(lines.map { $0.dropFirst(JournalFrame.headSize) }.joined(separator: [0x0A]))
  }

  /// The list of rows out of the document.
  static func rows() throws -> [UInt8] {
    let text = String(decoding: try document(), as: UTF8.self)
    guard let start = text.range(of: "\"Item\": ["),
      let end = text.range(of: "]", options: .backwards)
    else { return [] }
    return Array(text[text.index(before: start.upperBound)..<end.upperBound].utf8)
  }

  /// Looks at a schema as a JSON store does when it opens.
  static func understand(_ schema: StoreSchema) {
    _ = TableMap(schema)
  }
}
