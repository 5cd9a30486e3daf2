import Foundation
import StoreProtocol
import StoreTestSupport

/// A schema in which every kind of attribute has an index, and rows of it at random.
enum IndexedSchema {
  static let attributes: [(String, AttributeType)] = [
    ("text", .string), ("flag", .bool), ("small", .int8), ("whole", .int64), ("big", .uint64),
    ("real", .double), ("price", .decimal), ("day", .date), ("bytes", .data), ("tag", .uuid),
    ("rank", .int64), ("code", .codable),
  ]

  static let schema = StoreSchema(entities: [thing, special])

  private static let properties =
    attributes.map { StoreProperty(name: $0, kind: .attribute($1), isOptional: true) } + [
      StoreProperty(
        name: "owner",
        kind: .toOne(StoreRelationship(destination: "Thing")),
        isOptional: true
      )
    ]

  private static let indices =
    attributes.map { [$0.0] } + [
      ["rank", "text"], ["owner", "rank"], ["flag", "real", "day"], ["rank", "owner", "text"],
    ]

  private static let thing = StoreEntity(name: "Thing", properties: properties, indices: indices)

  private static let special = StoreEntity(
    name: "Special",
    superentity: "Thing",
    root: "Thing",
    properties: properties
      + [StoreProperty(name: "note", kind: .attribute(.string), isOptional: true)],
    uniquenessConstraints: [["note"]],
    indices: indices + [["note", "rank"]]
  )

  /// A value of a type, often one that another row has too.
  static func value(_ type: AttributeType, _ random: inout SeededGenerator) -> StoreValue {
    switch type {
    case .bool: .bool(.random(using: &random))
    case .int8: .integer(.random(in: -4...4, using: &random))
    case .uint64: UInt64(HardValues.unsignedIntegers.randomElement(using: &random) ?? 0).storeValue
    case .double: .double(HardValues.doubles.randomElement(using: &random) ?? 0)
    case .decimal: .decimal(HardValues.decimals.randomElement(using: &random) ?? 0)
    case .date: .date(HardValues.dates.randomElement(using: &random) ?? .distantPast)
    case .data: .data(HardValues.data.dropLast().randomElement(using: &random) ?? Data())
    case .uuid: .uuid(uuids.randomElement(using: &random) ?? UUID())
    case .string: .string(text(&random))
    case .codable: .array([.integer(.random(in: 0...2, using: &random))])
    default:
      .random(using: &random)
        ? .integer(.random(in: 0...5, using: &random))
        : .integer(HardValues.integers.randomElement(using: &random) ?? 0)
    }
  }

  private static let uuids = (0..<5).compactMap {
    UUID(uuidString: "00000000-0000-0000-0000-00000000000\($0)")
  }

  static func text(_ random: inout SeededGenerator) -> String {
    let parts = HardValues.strings + ["a", "ab", "abc", "K", "k", "e"]
    let count = Int.random(in: 1...2, using: &random)
    return (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
  }

  /// The values of a new row.
  static func values(
    of entity: String,
    owners: [PersistentIdentifier],
    _ random: inout SeededGenerator
  ) -> [StoreValue] {
    (schema.entity(named: entity)?.properties ?? []).map { property in
      if property.name == "note" {
        return .string("note \(UInt64.random(in: 0..<1 << 60, using: &random))")
      }
      if Int.random(in: 0..<6, using: &random) == 0 { return .null }
      guard let type = property.attributeType else {
        return owners.prefix(6).randomElement(using: &random).map(StoreValue.identifier) ?? .null
      }
      return property.name == "rank"
        ? .integer(.random(in: 0...3, using: &random)) : value(type, &random)
    }
  }
}
