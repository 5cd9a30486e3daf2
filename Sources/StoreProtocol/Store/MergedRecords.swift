// What becomes of the relationships of a row that a new record with its unique values updates.

extension StoreValue {
  /// The members of two values of a to-many relationship: these, then those of the other.
  package func joined(by other: StoreValue) -> StoreValue {
    switch (self, other) {
    case (.identifiers(let own), .identifiers(let new)): .identifiers((own + new).withoutRepeats)
    case (.null, _): other
    default: self
    }
  }
}

extension Array where Element: Hashable {
  /// The elements, each where it stands first.
  package var withoutRepeats: [Element] {
    guard count > 1 else { return self }
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}

/// A row that a merged row led to by a one-to-one relationship before, and that may still refer to
/// it.
package struct FormerPartner {
  /// The key of the merged row.
  package let row: Int64
  /// The relationship of the merged row.
  package let property: StoreProperty
  /// The key of the other row, or the negative number of its temporary identifier.
  package let partner: Int64

  /// Creates a note.
  package init(of row: Int64, by property: StoreProperty, partner: Int64) {
    self.row = row
    self.property = property
    self.partner = partner
  }
}

extension StoreEntity {
  /// The positions of the relationships whose both ends lead to one object.
  package var oneToOneProperties: [Int] {
    properties.indices.filter { index in
      properties[index].isToOne && properties[index].relationship?.inverseIsToOne == true
        && properties[index].relationship?.inverse != nil
    }
  }
}

extension DataStoreError {
  /// What a store throws when a merge would leave a row without what it requires.
  package static func partnerLost(
    _ partner: PersistentIdentifier,
    _ inverse: String,
    to row: PersistentIdentifier
  ) -> DataStoreError {
    DataStoreError(
      .uniqueConflict,
      "a new object becomes \(row), and \(partner) would lose the \(inverse) that it requires; "
        + "delete that, or give it another",
      entity: partner.entityName,
      property: inverse,
      identifiers: [row, partner]
    )
  }
}

extension StoreSchema {
  /// The number of properties that two entities of a hierarchy have from one that is above both;
  /// these stand first in each.
  package func sharedPropertyCount(of first: StoreEntity, and second: StoreEntity) -> Int {
    var name: String? = first.name
    while let current = name.flatMap(entity(named:)) {
      if isEntity(second.name, kindOf: current.name) { return current.properties.count }
      name = current.superentity
    }
    return 0
  }
}
