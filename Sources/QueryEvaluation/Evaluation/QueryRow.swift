import StoreProtocol

/// A stored row, as the evaluator uses it.
public protocol QueryRow {
  /// The row's identifier.
  var identifier: PersistentIdentifier { get }
  /// The row's own entity.
  var entity: StoreEntity { get }
  /// Returns the value of a property by its index in ``entity``.
  func value(at index: Int) -> StoreValue
}

/// A record as a row of an entity.
public struct SnapshotRow: QueryRow {
  /// The record.
  public let record: DefaultSnapshot
  /// The record's entity.
  public let entity: StoreEntity
  private let isAligned: Bool

  /// Creates a row; the record's values may be in any order.
  public init(_ record: DefaultSnapshot, _ entity: StoreEntity) {
    self.record = record
    self.entity = entity
    isAligned = record.names == entity.propertyNames
  }

  /// The record's identifier.
  public var identifier: PersistentIdentifier { record.persistentIdentifier }

  /// Returns the value of a property, or null if the record has none.
  public func value(at index: Int) -> StoreValue {
    guard isAligned else { return record[entity.properties[index].name] ?? .null }
    return index < record.values.count ? record.values[index] : .null
  }
}
