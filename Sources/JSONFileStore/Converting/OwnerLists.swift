import StoreProtocol

/// The rows that refer to each row by older relationships whose inverse is a newer property.
struct OwnerLists {
  private let tables: [Table]
  private var lists: [Int64: [Int64]] = [:]

  /// Reads the relationships of all rows that have them.
  init(_ owners: [RowMapping.Owner], _ state: StoreState, _ map: TableMap) {
    let found = owners.compactMap { owner in
      (try? map.table(of: owner.entity)).flatMap { state.tables[$0].table }
        .map { (table: $0, position: owner.position) }
    }
    tables = found.map(\.table)
    for (table, position) in found {
      for slot in 0..<table.slotCount where table.isAlive(slot) {
        switch table.columns[position].cell(slot) {
        case .integer(let member): lists[member, default: []].append(table.keys[slot])
        case .keys(let members):
          for member in members { lists[member, default: []].append(table.keys[slot]) }
        default: continue
        }
      }
    }
  }

  /// Returns the keys of the rows that refer to a row, in ascending order.
  func keys(of member: Int64) -> [Int64] { (lists[member] ?? []).sorted() }

  /// Returns the identifiers of the first rows that refer to a row.
  func identifiers(of member: Int64) -> [PersistentIdentifier] {
    keys(of: member).prefix(3).compactMap { key in
      for table in tables {
        if let slot = table.slot(of: key) { return table.identifier(slot) }
      }
      return nil
    }
  }
}
