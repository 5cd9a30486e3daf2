import Foundation
import ModelRuntime
import StoreProtocol

struct SnapshotEncoding {
  private var container: KeyedEncodingContainer<SnapshotKey>
  private let record: SnapshotRecord
  private let isIdentified: Bool

  init(
    container: KeyedEncodingContainer<SnapshotKey>,
    record: SnapshotRecord,
    _ isIdentified: Bool
  ) {
    self.container = container
    self.record = record
    self.isIdentified = isIdentified
  }

  mutating func encode(declared: ModelLayout) throws {
    if isIdentified {
      try container.encodeIfPresent(record.identifier, forKey: .identifier)
      try container.encodeIfPresent(record.version, forKey: .version)
    }
    if record.layout !== declared {
      try container.encode(record.layout.entityName, forKey: .entity)
    }
    for (index, property) in record.layout.properties.enumerated() {
      let key = SnapshotKey(stringValue: property.name)
      switch record.contents[index] {
      case .absent: continue
      case .value(let stored): try encode(stored, of: property, forKey: key)
      case .refused(let reason):
        throw SwiftDataError.modelValidationFailure.with(
          reason,
          entity: record.layout.entityName,
          property: property.name
        )
      case .unfollowed where !isIdentified: continue
      case .unfollowed, .objects:
        if let shape = property.shape {
          try encode(record.related(at: index), shape, to: shape.destination, forKey: key)
        }
      }
    }
  }

  private mutating func encode(
    _ stored: StoreValue,
    of property: ModelLayout.Property,
    forKey key: SnapshotKey
  ) throws {
    let valueType = property.valueType
    if try encode(stored, ofCommon: valueType, forKey: key) { return }
    guard let type = PropertyForm.codableType(of: valueType) else { return }
    try encode(stored, as: type, forKey: key)
  }

  /// Encodes a value of the types that most attributes have, without runtime checks of their types.
  private mutating func encode(
    _ stored: StoreValue,
    ofCommon type: Any.Type,
    forKey key: SnapshotKey
  ) throws -> Bool {
    switch stored {
    case .string(let value) where type == String.self: try container.encode(value, forKey: key)
    case .bool(let value) where type == Bool.self: try container.encode(value, forKey: key)
    case .integer(let value) where type == Int.self: try container.encode(Int(value), forKey: key)
    case .double(let value) where type == Double.self: try container.encode(value, forKey: key)
    case .date(let value) where type == Date.self: try container.encode(value, forKey: key)
    default: return false
    }
    return true
  }

  private mutating func encode<V: Codable>(
    _ stored: StoreValue,
    as type: V.Type,
    forKey key: SnapshotKey
  ) throws {
    try container.encode(PropertyForm.value(type, of: stored), forKey: key)
  }

  private mutating func encode<Other: PersistentModel>(
    _ records: [SnapshotRecord],
    _ shape: RelationshipShape,
    to other: Other.Type,
    forKey key: SnapshotKey
  ) throws {
    let objects = records.map { ModelSnapshot<Other>($0) }.filter {
      isIdentified || !$0.isReference
    }
    if shape.isToMany {
      try container.encode(objects, forKey: key)
    } else if let only = objects.first {
      try container.encode(only, forKey: key)
    } else if records.isEmpty {
      try container.encodeNil(forKey: key)
    }
  }
}
