import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  private static func rule(of type: AttributeType) -> String {
    "VALUE-\(101 + (SampleValues.types.firstIndex(of: type) ?? 0))"
  }

  private static func zero(_ type: AttributeType) -> StoreValue {
    switch type {
    case .bool: .bool(false)
    case .float, .double: .double(0)
    case .decimal: .decimal(0)
    case .string: .string("")
    case .url: .string("relative/path")
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .data: .data(Data())
    case .uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)).storeValue
    case .codable: .array([])
    default: .integer(0)
    }
  }

  /// Those that have one type wrong, in one way each.
  static let typed: [Saboteur] =
    SampleValues.types.flatMap { type in
      let (name, zero) = (type.rawValue, zero(type))
      return [
        Saboteur("stores an empty \(name) as nil", rule(of: type)) {
          .savingValues { property, value in property == name && value == zero ? .null : value }
        },
        Saboteur("gives an empty \(name) for nil", "VALUE-001") {
          .showing { property, value in property == name && value.isNull ? zero : value }
        },
        Saboteur("passes over \(name) in updates", rule(of: type)) {
          .saving { changes in
            changes.with { changes in
              changes.updated = changes.updated.map { update in
                let index = Sample.index(of: name, in: update.identifier.entityName)
                let others = update.changes.filter { $0.index != index }
                return StoreUpdate(identifier: update.identifier, changes: others)
              }
            }
          }
        },
        Saboteur("loses \(name) when it is opened again", "VALUE-008") {
          .reopened { isReopened in
            .showing { property, value in property == name && isReopened() ? .null : value }
          }
        },
        Saboteur("reads \(name) row by row as nil", "VALUE-006") {
          var alterations = Alterations()
          alterations.read = { store, query in
            try store.fetch(query).map { $0.changing { $0 == name ? .null : $1 } }
          }
          return alterations
        },
      ]
    }
    + SampleValues.types.filter(\.isInteger).flatMap { type in
      let values = SampleValues.values(of: type)
      return [(values[0], values[1]), (values[5], values[4])].map { end, other in
        Saboteur("stores \(other) for \(end) of \(type.rawValue)", rule(of: type)) {
          .savingValues { property, value in
            property == type.rawValue && value == end ? other : value
          }
        }
      }
    }
}

extension Alterations {
  /// Saves other values of new and changed rows, by the names of properties.
  static func savingValues(
    _ change: @escaping @Sendable (String, StoreValue) -> StoreValue
  ) -> Alterations {
    saving { changes in
      changes.with { changes in
        changes.inserted = changes.inserted.map { $0.changing(change) }
        changes.updated = changes.updated.map { update in
          let name = update.identifier.entityName
          let schemas = [Sample.schema, MachineSchema.schema].map(\.storeSchema)
          let entity = schemas.compactMap { $0.entity(named: name) }.first
          let names = entity?.propertyNames.names ?? []
          return StoreUpdate(
            identifier: update.identifier,
            changes: update.changes.map { one in
              names.indices.contains(one.index)
                ? .init(one.index, change(names[one.index], one.value)) : one
            }
          )
        }
      }
    }
  }
}

extension Sample {
  /// The position of a property, or `nil` if the entity has none of that name.
  static func index(of property: String, in entity: String) -> Int? {
    schema.storeSchema.entity(named: entity)?.indexByName[property]
  }
}
