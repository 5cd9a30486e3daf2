import StoreProtocol

/// A property reference in an expression, which caches its lookup for the last entity.
final class PropertySite<Row: QueryRow> {
  private let name: String
  private var entity: StoreEntity?
  private var index = 0
  private var isToMany = false

  init(_ name: String) {
    self.name = name
  }

  func value(of row: Row, _ frame: QueryFrame<Row>) throws -> StoreValue {
    let current = row.entity
    if current !== entity { try resolve(current) }
    return isToMany ? try frame.members(of: row, index) : row.value(at: index)
  }

  private func resolve(_ current: StoreEntity) throws {
    guard let found = current.indexByName[name] else {
      throw DataStoreError(
        .invalidPredicate,
        "the query names a property that the entity lacks",
        entity: current.name,
        property: name
      )
    }
    entity = current
    index = found
    isToMany = current.properties[found].isToMany
  }
}
