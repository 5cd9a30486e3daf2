import PostgreSQLClient
import StoreProtocol

/// The statements that read the related objects of a to-many relationship.
struct MemberRequests {
  private let property: String
  private let map: StoreMap
  private let owners: RowRequest
  /// The column of the owners' lists.
  private let list: EntityTable.Column
  /// The related rows and the property by which they refer to an owner, or `nil` if they do not.
  private let related: (rows: RowRequest, inverse: String)?

  private var decoder: RecordDecoder { RecordDecoder(map: map) }

  /// Creates the requests, or returns `nil` if the entity has no such relationship.
  init?(
    of property: String,
    in entity: String,
    _ owners: [PersistentIdentifier],
    _ map: StoreMap
  ) throws {
    let description = try map.catalog.schema.requiredEntity(entity)
    let table = try map.table(of: entity)
    guard let index = description.indexByName[property], description.properties[index].isToMany,
      let position = table.positions[entity]?[index],
      let relationship = description.properties[index].relationship
    else { return nil }
    self.property = property
    self.map = map
    self.owners = try QueryPlan(.rows(owners, of: entity), map).request
    list = table.columns[position]
    guard description.properties[index].isDerivedToMany, let inverse = relationship.inverse else {
      related = nil
      return
    }
    let owning = QueryExpression.property(.element(0), inverse)
    let query = StoreQuery(
      entity: relationship.destination,
      filter: .contains(.constant(.identifiers(owners)), owning)
    )
    related = (try QueryPlan(query, map).request, inverse)
  }

  /// The statements to execute in one state of the store.
  var statements: [Statement] {
    if let related {
      return [owners.statement(selecting: "_key, \(list.name)"), related.rows.statement]
    }
    return [owners.statement]
  }

  /// Returns the related objects of owners from the results of the statements.
  func members(
    of identifiers: [PersistentIdentifier],
    _ results: [QueryResult]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    var members: [Int64: [PersistentIdentifier]] = [:]
    guard related != nil else {
      for record in try decoder.records(owners.table, results[0]) {
        guard let key = record.persistentIdentifier.integerKey else { continue }
        members[key] = []
        if case .identifiers(let list)? = record[property] { members[key] = list }
      }
      return identifiers.reduce(into: [:]) { $0[$1] = $1.integerKey.flatMap { members[$0] } }
    }
    let orders = try decoder.lists(results[0])
    try forEachMember(results) { members[$0, default: []].append($1.identifier) }
    return identifiers.reduce(into: [:]) { result, identifier in
      guard let key = identifier.integerKey, let order = orders[key] else { return }
      let found = members[key] ?? []
      let byKey = Dictionary(firstOf: found.map { ($0.integerKey, $0) })
      let listed = order.compactMap { byKey[$0] }
      result[identifier] = MemberOrder.ordered(found, by: listed)
    }
  }

  /// Calls a function with the related rows that refer to their owners, and returns the owners'
  /// lists.
  func readRows(
    _ results: [QueryResult],
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> [Int64: [Int64]] {
    try forEachMember(results, body)
    return try decoder.lists(results[0])
  }

  /// Whether the related rows refer to their owners.
  var isDerived: Bool { related != nil }

  private func forEachMember(
    _ results: [QueryResult],
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws {
    guard let related else { return }
    let table = related.rows.table
    try decoder.read(table, table.selection, results[1]) { reader in
      guard let index = reader.entity.indexByName[related.inverse],
        case .identifier(let owner) = try reader.value(at: index), let key = owner.integerKey
      else { return }
      try body(key, reader)
    }
  }
}
