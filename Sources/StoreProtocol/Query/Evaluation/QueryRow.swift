/// One stored row as the evaluator sees it.
public protocol QueryRow {
  /// The row's identity.
  var identifier: PersistentIdentifier { get }
  /// The row's own entity.
  var entity: StoreEntity { get }
  /// The value of a property by its position in ``entity``.
  func value(at index: Int) -> StoreValue
}

/// A record as a row of an entity.
public struct SnapshotRow: QueryRow {
  /// The record.
  public let record: DefaultSnapshot
  /// The record's entity.
  public let entity: StoreEntity
  private let isAligned: Bool

  /// Creates a row; the record's values may stand in any order.
  public init(_ record: DefaultSnapshot, _ entity: StoreEntity) {
    self.record = record
    self.entity = entity
    isAligned = record.names == entity.propertyNames
  }

  /// The record's identity.
  public var identifier: PersistentIdentifier { record.persistentIdentifier }

  /// The value of a property, nil where the record has none.
  public func value(at index: Int) -> StoreValue {
    guard isAligned else { return record[entity.properties[index].name] ?? .null }
    return index < record.values.count ? record.values[index] : .null
  }
}
