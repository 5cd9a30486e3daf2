import Foundation
import StoreProtocol

/// The Swift types of the properties of the sample schema.
enum SampleTypes {
  /// The structures of structured values, with their properties.
  static let structures: [String: [(name: String, type: QueryType)]] = [
    "Address": [
      ("street", .text), ("zip", .optional(.int)), ("place", .structure("Place")),
      ("tags", .list(.text)),
    ],
    "Place": [("latitude", .scalar(.double)), ("name", .optional(.text))],
  ]

  private static let codables: [String: QueryType] = [
    "words": .list(.text), "numbers": .list(.int), "maybes": .list(.optional(.int)),
    "counts": .dictionary(.int), "address": .structure("Address"),
    "home": .structure("Address"), "places": .list(.structure("Place")),
  ]

  static func type(of property: StoreProperty) -> QueryType {
    switch property.kind {
    case .toOne(let relationship): return .optional(.object(relationship.destination))
    case .toMany(let relationship): return .list(.object(relationship.destination))
    case .attribute(.codable):
      let type = codables[property.name] ?? .tree
      return property.isOptional ? type.optional : type
    case .attribute(let type):
      return property.isOptional ? .optional(.scalar(type)) : .scalar(type)
    }
  }

  /// Returns the type of a structure's property.
  static func type(of member: String, in structure: String) -> QueryType? {
    structures[structure]?.first { $0.name == member }?.type
  }

  /// Returns the default value of a property.
  static func zero(of property: StoreProperty) -> StoreValue {
    if property.isDerivedToMany { return .null }
    return property.isToMany ? .identifiers([]) : zero(of: type(of: property))
  }

  /// Returns the simplest value of a type.
  static func zero(of type: QueryType) -> StoreValue {
    switch type {
    case .scalar(let type): zero(of: type)
    case .optional, .object, .tree: .null
    case .list(.object): .identifiers([])
    case .list: .array([])
    case .dictionary: .composite([])
    case .structure(let name):
      .composite(
        (structures[name] ?? []).filter { !$0.type.isOptional }
          .map { .init($0.name, zero(of: $0.type)) }
      )
    }
  }

  private static func zero(of type: AttributeType) -> StoreValue {
    type == .url ? .string("") : type.emptyValue ?? .null
  }
}
