import StoreProtocol

/// Where the rows of a relationship's own table come from.
enum JoinSource: Hashable {
  /// The table of the older relationship.
  case join(JoinMap)
  /// A reference to one object, which becomes the only member.
  case reference(column: ColumnMap, entity: String)
  /// The references of the members, in the order that the owner kept.
  case members(property: String, entity: String)
}

extension StructurePlan {
  /// The sources of a table of a relationship, one for each entity that has it.
  func joinSources(of join: JoinMap) throws -> [JoinSource] {
    var sources: [JoinSource] = []
    for mapping in mappings.values.sorted(by: { $0.new.name < $1.new.name }) {
      let after = try new.entity(named: mapping.new.name)
      let before = try old.entity(named: mapping.old.name)
      for (index, property) in mapping.new.properties.enumerated()
      where after.join(of: property.name) == join {
        if let source = source(at: index, mapping, before) { sources.append(source) }
      }
    }
    return sources
  }

  private func source(
    at index: Int,
    _ mapping: RowMapping,
    _ before: EntityMap
  ) -> JoinSource? {
    switch mapping.sources[index] {
    case .same(let position):
      return before.join(of: mapping.old.properties[position].name).map(JoinSource.join)
    case .oneToMany(let position):
      return before.column(of: mapping.old.properties[position].name).map {
        .reference(column: $0, entity: mapping.old.name)
      }
    case .listed(let position):
      return .members(property: mapping.old.properties[position].name, entity: mapping.old.name)
    case .missing, .converted: return nil
    }
  }

  /// Fills the new table of a relationship.
  mutating func fill(_ join: JoinMap, from source: JoinSource) throws {
    let target = "INSERT OR IGNORE INTO \(join.temporaryName)(owner, position, member) "
    switch source {
    case .join(let before): add(target + "SELECT owner, position, member FROM \(before.sql)")
    case .reference(let column, let entity):
      let table = try old.entity(named: entity).table
      let condition = whereClause([table.isExactly(entity), "\(column.sql) IS NOT NULL"])
      add(target + "SELECT \(table.key), 0, \(column.sql) FROM \(table.sql)\(condition)")
    case .members(let property, let entity):
      add(target + (try listedMembers(property, of: entity)))
    }
  }

  /// The members that said themselves where they belong: those that the owner lists in that order,
  /// the others behind them by their keys.
  private func listedMembers(_ property: String, of entity: String) throws -> String {
    let owner = try old.entity(named: entity)
    guard let relationship = owner.entity.property(named: property)?.relationship,
      let inverse = relationship.inverse,
      let member = try? old.entity(named: relationship.destination),
      let reference = member.column(of: inverse), let order = owner.column(of: property)
    else { return "SELECT 0, 0, 0 WHERE 0" }
    let (table, key) = (owner.table, "owner.\(owner.table.key)")
    let place =
      "(SELECT listed.key FROM json_each(owner.\(order.sql)) listed "
      + "WHERE listed.value = member.\(member.table.key))"
    let rank =
      "row_number() OVER (PARTITION BY \(key) "
      + "ORDER BY \(place) IS NULL, \(place), member.\(member.table.key)) - 1"
    let condition = whereClause([table.isExactly(entity).map { "owner.\($0)" }])
    return "SELECT \(key), \(rank), member.\(member.table.key) FROM \(table.sql) owner "
      + "JOIN \(member.table.sql) member ON member.\(reference.sql) = \(key)\(condition)"
  }

  /// Takes away references to rows that were removed with their entities.
  mutating func forgetRemovedRows() throws {
    let removed = Set(
      difference.removedEntities.compactMap { old.schema.entity(named: $0)?.root }
    )
    guard !removed.isEmpty else { return }
    for table in new.tables {
      for column in table.columns {
        guard case .reference(let name, _) = column.content, let target = new.table(named: name)
        else { continue }
        let keys = "SELECT \(target.key) FROM \(target.sql)"
        add(
          "UPDATE \(table.sql) SET \(column.sql) = NULL WHERE \(column.sql) IS NOT NULL "
            + "AND \(column.sql) NOT IN (\(keys))"
        )
      }
    }
    for join in new.joins {
      for (name, column) in [(join.ownerTable, "owner"), (join.memberTable, "member")] {
        guard let target = new.table(named: name) else { continue }
        add(
          "DELETE FROM \(join.sql) WHERE \(column) NOT IN "
            + "(SELECT \(target.key) FROM \(target.sql))"
        )
      }
    }
  }
}
