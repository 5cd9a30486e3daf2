import ModelRuntime
import StoreProtocol

struct SnapshotDecoding {
  private let container: KeyedDecodingContainer<SnapshotKey>
  private let layout: ModelLayout
  private let identifier: PersistentIdentifier?
  private let version: Int64?
  private let isPartial: Bool
  private let decodesIdentifiers: Bool

  /// Determines the model of the object.
  init<Model: PersistentModel>(_ decoder: any Decoder, of model: Model.Type) throws {
    let declared = ModelLayout.of(model)
    do {
      container = try decoder.container(keyedBy: SnapshotKey.self)
      let name = try container.decodeIfPresent(String.self, forKey: .entity) ?? declared.entityName
      guard let found = declared.descendant(named: name) else {
        throw DataStoreError(
          .invalidValue,
          "\(String(name.prefix(80)).debugDescription) is not a model of any schema that inherits "
            + "from this one",
          entity: declared.entityName
        )
      }
      layout = found
      decodesIdentifiers = decoder.userInfo[.modelIdentifiers] as? Bool == true
      identifier =
        decodesIdentifiers
        ? try container.decodeIfPresent(PersistentIdentifier.self, forKey: .identifier) : nil
      version =
        decodesIdentifiers ? try container.decodeIfPresent(Int64.self, forKey: .version) : nil
      isPartial = decoder.userInfo[.partialSnapshots] as? Bool == true
    } catch {
      throw Self.failure(error, "the object cannot be read", declared, nil)
    }
    // An object in a list is two steps below the object that has the list.
    guard decoder.codingPath.count <= 2 * SnapshotRecord.depthLimit else {
      throw Self.failure(nil, "objects nest deeper than 64 levels", layout, nil)
    }
    if decoder.userInfo[.strictSnapshots] as? Bool == true { try refuseUnknownMembers() }
  }

  /// Throws if the object has a member that is not read.
  private func refuseUnknownMembers() throws {
    let own: [SnapshotKey] =
      decodesIdentifiers ? [.entity, .identifier, .version] : [.entity]
    let known = Set(layout.properties.map(\.name) + own.map(\.stringValue))
    guard let name = Set(container.allKeys.map(\.stringValue)).subtracting(known).min() else {
      return
    }
    throw DataStoreError(
      .invalidValue,
      "the object has an unknown member; correct its name or remove it",
      entity: layout.entityName,
      property: String(name.prefix(80))
    )
  }

  func record() throws -> SnapshotRecord {
    var record = SnapshotRecord(layout, identifier: identifier)
    record.version = version
    for (index, property) in layout.properties.enumerated() {
      let key = SnapshotKey(stringValue: property.name)
      guard container.contains(key) else {
        try checkAbsence(of: property)
        continue
      }
      do {
        record.contents[index] = try content(of: property, forKey: key)
      } catch {
        throw Self.failure(error, "the value does not fit the property", layout, property)
      }
    }
    return record
  }

  private func checkAbsence(of property: ModelLayout.Property) throws {
    guard identifier == nil, !isPartial, property.shape == nil,
      property.metadata.makeDefault == nil,
      !(type(of: property.keyPath).valueType is any OptionalType.Type)
    else { return }
    throw Self.failure(nil, "the property is required and has no value", layout, property)
  }

  private func content(
    of property: ModelLayout.Property,
    forKey key: SnapshotKey
  ) throws -> SnapshotContent {
    if let shape = property.shape {
      return .objects(try objects(of: shape.destination, shape, forKey: key))
    }
    let valueType = type(of: property.keyPath).valueType
    guard let type = PropertyForm.codableType(of: valueType) else { return .absent }
    return .value(try value(type, of: valueType, forKey: key))
  }

  private func value<V: Codable>(
    _ type: V.Type,
    of property: Any.Type,
    forKey key: SnapshotKey
  ) throws -> StoreValue {
    let stored = try PropertyForm.stored(container.decode(type, forKey: key))
    // Values that could be stored but not be read again are refused.
    try PropertyForm.check(stored, as: type, for: property)
    return stored
  }

  private func objects<Other: PersistentModel>(
    of other: Other.Type,
    _ shape: RelationshipShape,
    forKey key: SnapshotKey
  ) throws -> [SnapshotRecord] {
    if try container.decodeNil(forKey: key) { return [] }
    if shape.isToMany {
      return try container.decode([ModelSnapshot<Other>].self, forKey: key).map(\.record)
    }
    return [try container.decode(ModelSnapshot<Other>.self, forKey: key).record]
  }

  private static func failure(
    _ cause: (any Error)?,
    _ message: String,
    _ layout: ModelLayout,
    _ property: ModelLayout.Property?
  ) -> any Error {
    // The error of a nested object is more specific.
    if let located = cause as? DataStoreError, located.entity != nil { return located }
    return DataStoreError(
      .invalidValue,
      message,
      entity: layout.entityName,
      property: property?.name,
      cause: cause
    )
  }
}
