import StoreProtocol

// The relationships of a row that is updated by a new record with its unique values.

extension StoreValue {
  /// Returns the related objects of two values of a to-many relationship without duplicates: first
  /// those of this value, then those of the other.
  public func joined(by other: StoreValue) -> StoreValue {
    switch (self, other) {
    case (.identifiers(let own), .identifiers(let new)): .identifiers((own + new).withoutRepeats)
    case (.null, _): other
    default: self
    }
  }
}

/// A former counterpart of a merged row in a one-to-one relationship, which may still refer to it.
public struct FormerCounterpart {
  /// The key of the merged row.
  public let row: Int64
  /// The relationship of the merged row.
  public let property: StoreProperty
  /// The key of the other row, or the negative number of its temporary identifier.
  public let counterpart: Int64

  /// Creates a former counterpart.
  ///
  /// - Parameters:
  ///   - row: The key of the merged row.
  ///   - property: The relationship of the merged row.
  ///   - counterpart: The key of the counterpart, or the negative number of its temporary identifier.
  public init(of row: Int64, by property: StoreProperty, counterpart: Int64) {
    self.row = row
    self.property = property
    self.counterpart = counterpart
  }
}

extension StoreEntity {
  /// The indices of the one-to-one relationships.
  public var oneToOneProperties: [Int] {
    properties.indices.filter { index in
      properties[index].isToOne && properties[index].relationship?.inverseIsToOne == true
        && properties[index].relationship?.inverse != nil
    }
  }
}

extension DataStoreError {
  /// Returns the error for a merge that would leave a row without a required reference.
  ///
  /// - Parameters:
  ///   - counterpart: The row that would lose the reference.
  ///   - inverse: The name of the reference.
  ///   - row: The row that a new record updates.
  /// - Returns: An error of code `uniqueConflict`.
  public static func counterpartLost(
    _ counterpart: PersistentIdentifier,
    _ inverse: String,
    to row: PersistentIdentifier
  ) -> DataStoreError {
    DataStoreError(
      .uniqueConflict,
      "a new object becomes \(row), and \(counterpart) would lose its required \(inverse); delete "
        + "\(counterpart), or give it another",
      entity: counterpart.entityName,
      property: inverse,
      identifiers: [row, counterpart]
    )
  }
}

extension StoreSchema {
  /// Returns the number of properties that two entities inherit from their closest common entity.
  ///
  /// These properties come first in both.
  public func sharedPropertyCount(of first: StoreEntity, and second: StoreEntity) -> Int {
    var name: String? = first.name
    while let current = name.flatMap(entity(named:)) {
      if isEntity(second.name, kindOf: current.name) { return current.properties.count }
      name = current.superentity
    }
    return 0
  }
}
