import CoreDataFiles

extension CoreDataSurvey {
  /// Counts the contents of the file that no row of the model refers to.
  mutating func check(_ content: SourceContent) throws {
    let shown = content.model.entities.compactMap { content.layout.entities[$0.name] }
    for table in Set(shown.map(\.table)).sorted() {
      let numbers = content.layout.entities.values.filter { $0.table == table }.map(\.number)
      let rows = try content.number(
        of: "\(SourceReader.quoted(table)) WHERE Z_ENT IS NULL "
          + "OR Z_ENT NOT IN (\(SourceReader.list(numbers.sorted())))"
      )
      if rows > 0 { losses.append("\(table): \(rows) rows without an entity of the model") }
      try checkColumns(of: table, content)
    }
    for entity in content.model.entities {
      for relationship in entity.relationships {
        try checkOwners(of: relationship, entity, content)
        try checkEnds(of: relationship, entity, content)
      }
    }
    checkEntities(content)
    try checkTables(content)
  }

  /// Counts references that neither end reads, because the owner is missing.
  private mutating func checkOwners(
    of relationship: ManagedModel.Relationship,
    _ entity: ManagedModel.Entity,
    _ content: SourceContent
  ) throws {
    guard let own = content.layout.entities[entity.name],
      let target = content.layout.entities[relationship.destination],
      let columns = own.relationships[relationship.name]
    else { return }
    func isMissing(_ column: String, in table: String) -> String {
      let column = "j.\(SourceReader.quoted(column))"
      return "\(column) IS NOT NULL AND NOT EXISTS "
        + "(SELECT 1 FROM \(SourceReader.quoted(table)) AS t WHERE t.Z_PK = \(column))"
    }
    let count: Int
    switch columns {
    case .backward(let table, let owner, _) where relationship.inverse == nil:
      count = try content.number(
        of: "\(SourceReader.quoted(table)) AS j WHERE \(isMissing(owner, in: own.table))"
      )
    case .pairs(let table, JoinTables.reflexive, let key, _):
      let pairs = try content.number(
        of: "\(SourceReader.quoted(table)) AS j "
          + "WHERE (\(isMissing(JoinTables.reflexive, in: own.table))) "
          + "OR (\(isMissing(key, in: target.table)))"
      )
      if pairs > 0 {
        leftOut.append("\(entity.name).\(relationship.name): \(pairs) pairs with deleted objects")
      }
      return
    case .pairs(let table, let owner, let key, _):
      // With an inverse, the other end has the reference, if it exists.
      let other = relationship.inverse == nil ? "" : " AND \(isMissing(key, in: target.table))"
      count = try content.number(
        of: "\(SourceReader.quoted(table)) AS j WHERE \(isMissing(owner, in: own.table))\(other)"
      )
    default: return
    }
    guard count > 0 else { return }
    losses.append(
      "\(entity.name).\(relationship.name): \(count) references from missing objects"
    )
  }

  /// Counts the references of a one-to-one relationship whose targets refer to another row or none.
  private mutating func checkEnds(
    of relationship: ManagedModel.Relationship,
    _ entity: ManagedModel.Entity,
    _ content: SourceContent
  ) throws {
    guard let inverse = relationship.inverse,
      let own = content.layout.entities[entity.name],
      let target = content.layout.entities[relationship.destination],
      case .key(let column)? = own.relationships[relationship.name],
      case .key(let back)? = target.relationships[inverse]
    else { return }
    let family = Hierarchy(content.model).family(of: entity.name)
    let numbers = family.compactMap { content.layout.entities[$0.name]?.number }
    let count = try content.number(
      of: "\(SourceReader.quoted(own.table)) AS j JOIN \(SourceReader.quoted(target.table)) AS t "
        + "ON t.Z_PK = j.\(SourceReader.quoted(column)) "
        + "WHERE j.Z_ENT IN (\(SourceReader.list(numbers))) "
        + "AND t.\(SourceReader.quoted(back)) IS NOT j.Z_PK"
    )
    guard count > 0 else { return }
    unknowns.append(
      "\(entity.name).\(relationship.name): which end is right; \(relationship.destination).\(inverse) "
        + "does not refer back for \(count), and both ends are kept"
    )
  }

  /// Finds columns with values that no property describes.
  private mutating func checkColumns(of table: String, _ content: SourceContent) throws {
    let used = content.layout.columns(of: table)
    for column in content.tables.columns[table] ?? [] where !used.contains(column) {
      let name = SourceReader.quoted(column)
      let values = try content.number(of: "\(SourceReader.quoted(table)) WHERE \(name) IS NOT NULL")
      guard values > 0 else { continue }
      leftOut.append("\(table).\(column): \(values) values that no property of the model describes")
    }
  }

  private mutating func checkEntities(_ content: SourceContent) {
    let hidden = content.layout.entities.keys.filter { content.model.entity(named: $0) == nil }
    if !hidden.isEmpty {
      leftOut.append("not selected: \(hidden.sorted().joined(separator: ", "))")
    }
    let unknown = content.tables.entities.map(\.number)
      .filter { number in !content.layout.entities.values.contains { $0.number == number } }
      .compactMap(content.tables.name(of:))
    if !unknown.isEmpty {
      losses.append("entities that the model lacks: \(unknown.sorted().joined(separator: ", "))")
    }
    let count = content.tables.metadata.programKeyCount
    if count > 0 { leftOut.append("\(count) values of the program in the store's metadata") }
  }

  private mutating func checkTables(_ content: SourceContent) throws {
    for table in content.tables.otherTables {
      // Tables of extensions that are not loaded cannot be read.
      guard let rows = try? content.number(of: SourceReader.quoted(table)), rows > 0 else {
        continue
      }
      let kind =
        ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table)
        ? "the history" : table.hasPrefix("ANSCK") ? "synchronization with CloudKit" : "no entity"
      leftOut.append("\(table): \(rows) rows of \(kind)")
    }
  }
}

extension SourceContent {
  /// Returns the number of rows of a table with a condition, as SQL.
  fileprivate func number(of rows: String) throws -> Int {
    // A bare count(*) is a single step for SQLite, whatever the number of pages.
    Int(try reader.rows("SELECT sum(1) FROM \(rows)") { $0.integer(0) ?? 0 }.first ?? 0)
  }
}
