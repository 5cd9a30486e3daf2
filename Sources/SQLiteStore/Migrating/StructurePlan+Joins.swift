import SQLTranslation
import StoreProtocol

/// The source of the rows of a join table.
enum JoinSource: Hashable {
  /// The table of the older relationship.
  case join(JoinMap)
  /// A reference to one object, which becomes the only element.
  case reference(column: ColumnMap, entity: String)
  /// The references of the related objects, in the order that the owner stored.
  case members(property: String, entity: String)
  /// The relationships to the related objects, of which the newer one is the inverse.
  case owners([RowMapping.Owner])
}

extension StructurePlan {
  /// Returns the sources of a join table, one for each entity that has the relationship.
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
    case .owners(let owners): return .owners(owners)
    case .missing, .converted, .ordered: return nil
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
    case .owners(let owners):
      let rank = "row_number() OVER (PARTITION BY member ORDER BY owner) - 1"
      add(target + "SELECT member, \(rank), owner FROM (\(try pairs(of: owners)))")
    }
  }

  /// Returns a query for the keys of owners and related objects of older relationships.
  func pairs(of owners: [RowMapping.Owner]) throws -> String {
    var parts: [String] = []
    for owner in owners {
      let map = try old.entity(named: owner.entity)
      let (table, name) = (map.table, map.entity.properties[owner.position].name)
      if let join = map.join(of: name) {
        parts.append("SELECT owner, member FROM \(join.sql)")
      } else if let column = map.column(of: name) {
        let condition = whereClause([table.isExactly(owner.entity), "\(column.sql) IS NOT NULL"])
        parts.append(
          "SELECT \(table.key) AS owner, \(column.sql) AS member FROM \(table.sql)\(condition)"
        )
      }
    }
    return parts.joined(separator: " UNION ")
  }

  /// Stores the values that follow from older relationships for the rows of an entity.
  ///
  /// These are the owner of a row, and the order of an owner's related objects.
  mutating func connect(_ entity: StoreEntity, _ table: TableMap, named name: String) throws {
    guard let mapping = mappings[entity.name] else { return }
    let (before, after) = (
      try old.entity(named: entity.name), try new.entity(named: entity.name)
    )
    for (index, property) in entity.properties.enumerated() {
      guard let column = after.column(of: property.name) else { continue }
      let update = "UPDATE \(name) AS target SET \(column.sql) ="
      let key = "target.\(table.key)"
      switch mapping.sources[index] {
      case .owners(let owners):
        let condition = whereClause([table.isExactly(entity.name), "pair.member = \(key)"])
        add("\(update) pair.owner FROM (\(try pairs(of: owners))) AS pair\(condition)")
      case .ordered(let position):
        guard let join = before.join(of: mapping.old.properties[position].name) else { continue }
        let list = { (order: String) in
          "(SELECT json_group_array(member) FROM (SELECT member FROM \(join.sql) "
            + "WHERE owner = \(key) ORDER BY \(order)))"
        }
        let condition = whereClause([
          table.isExactly(entity.name), "\(key) IN (SELECT owner FROM \(join.sql))",
        ])
        add("\(update) nullif(\(list("position")), \(list("member")))\(condition)")
      default: continue
      }
    }
  }

  /// Returns a query for the objects of a one-to-many relationship.
  ///
  /// Objects in the owner's stored order come first; the others follow by their keys.
  private func listedMembers(_ property: String, of entity: String) throws -> String {
    let owner = try old.entity(named: entity)
    guard let relationship = owner.entity.property(named: property)?.relationship,
      let inverse = relationship.inverse,
      let member = try? old.entity(named: relationship.destination),
      let reference = member.column(of: inverse), let order = owner.column(of: property)
    else { return "SELECT 0, 0, 0 WHERE 0" }
    let (table, key) = (owner.table, "owner.\(owner.table.key)")
    let position =
      "(SELECT listed.key FROM json_each(owner.\(order.sql)) listed "
      + "WHERE listed.value = member.\(member.table.key))"
    let rank =
      "row_number() OVER (PARTITION BY \(key) "
      + "ORDER BY \(position) IS NULL, \(position), member.\(member.table.key)) - 1"
    let condition = whereClause([table.isExactly(entity).map { "owner.\($0)" }])
    return "SELECT \(key), \(rank), member.\(member.table.key) FROM \(table.sql) owner "
      + "JOIN \(member.table.sql) member ON member.\(reference.sql) = \(key)\(condition)"
  }

  /// Clears references from and to rows that were removed, or moved to another table, with their
  /// entities.
  mutating func forgetAbsentRows() throws {
    let kinds: Set<SchemaStep.Kind> = [.entityRemoved, .superentityChanged]
    guard difference.steps.contains(where: { kinds.contains($0.kind) }) else { return }
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
