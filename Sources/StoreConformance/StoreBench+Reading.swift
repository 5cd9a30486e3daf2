import StoreProtocol

extension StoreBench {
  /// Returns the stored row of an identifier, or `nil` if there is none.
  func record(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    try store.fetch(.rows([identifier], of: identifier.entityName)).first
  }

  /// Returns the version of a row; a missing row is a violation.
  func version(of identifier: PersistentIdentifier) throws -> Int64 {
    try stored(identifier).version
  }

  private func stored(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot {
    guard let record = try record(identifier) else {
      throw RuleViolation("the row \(identifier)", expected: "to be stored", found: "no such row")
    }
    return record
  }

  /// Returns a stored value; a missing row is a violation.
  func value(_ name: String, of identifier: PersistentIdentifier) throws -> StoreValue {
    let record = try stored(identifier)
    guard let value = record[name] else {
      throw RuleViolation(
        "the row \(identifier)",
        expected: "a value for \(name)",
        found: "values for \(record.names.names)"
      )
    }
    return value
  }

  /// Returns the related objects of a relationship; a missing entry is a violation.
  func members(
    _ property: String,
    of owner: PersistentIdentifier
  ) throws -> [PersistentIdentifier] {
    let found = try store.members(of: property, in: owner.entityName, owners: [owner])
    guard let members = found[owner] else {
      throw RuleViolation(
        "the related rows of \(property) of \(owner)",
        expected: "an entry for the owner",
        found: "entries for \(found.keys.sorted())"
      )
    }
    return members
  }

  /// Checks a stored value.
  func expectValue(
    _ name: String,
    of row: PersistentIdentifier,
    _ expected: StoreValue
  ) throws {
    try expect("\(name) of \(row)", value(name, of: row), equals: expected)
  }

  /// Checks the related objects of a relationship.
  func expectMembers(
    _ property: String,
    of owner: PersistentIdentifier,
    _ expected: [PersistentIdentifier]
  ) throws {
    try expect("\(property) of \(owner)", members(property, of: owner), equals: expected)
  }

  /// Checks that all kinds of requests find the same rows.
  func expectRows(
    _ moment: String,
    _ query: StoreQuery,
    equal expected: [PersistentIdentifier]
  ) throws {
    let fetched = try store.fetch(query).map(\.persistentIdentifier)
    try expect("the rows \(moment)", fetched, equals: expected)
    try expect("the count \(moment)", store.count(query), equals: expected.count)
    try expect("the identifiers \(moment)", store.identifiers(query), equals: expected)
    var read: [PersistentIdentifier] = []
    try store.read(query) { read.append($0.identifier) }
    try expect("the rows one by one \(moment)", read, equals: expected)
  }

  /// Returns the names of the rows of a query, in order.
  func names(_ query: StoreQuery) throws -> [String] {
    try store.fetch(query).map { record in
      if case .string(let name) = record["name"] { name } else { "?" }
    }
  }

  /// Returns the names of all rows of an entity, in the order of their keys.
  func names(of entity: String) throws -> [String] { try names(StoreQuery(entity: entity)) }
}
