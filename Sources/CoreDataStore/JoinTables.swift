import CoreDataFiles

/// The tables of many-to-many relationships, which are found by their columns.
///
/// A table's name is `Z_`, the number of an entity and the name of a relationship. Each column
/// `Z_nREL` holds keys of the destination of the relationship REL. The number n is that of the
/// destination, which has the inverse of REL. Numbers are those of an entity or of one that it
/// inherits from. A number follows a name that is taken.
///
/// A relationship that is its own inverse has one such column. The other one, with the owners, is
/// ``reflexive``, and each pair is stored in both directions.
struct JoinTables {
  /// The owners' column of a relationship that is its own inverse.
  static let reflexive = "REFLEXIVE"

  private let columns: [String: [String]]

  init(_ columns: [String: [String]]) {
    self.columns = columns.filter { $0.key.hasPrefix("Z_") }
  }

  /// Finds the table of a relationship.
  func pairs(
    _ relationship: ManagedModel.Relationship,
    inverse: ManagedModel.Relationship?,
    ownNumbers: Set<Int64>,
    targetNumbers: Set<Int64>
  ) -> SourceLayout.RelationshipColumns? {
    for (table, columns) in columns.sorted(by: { $0.key < $1.key })
    where isNamed(table, relationship, inverse, ownNumbers, targetNumbers) {
      let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }
      guard keys.count == 2 else { continue }
      for (target, owner) in [(keys[0], keys[1]), (keys[1], keys[0])] {
        guard matches(target, relationship.name, targetNumbers),
          isOwner(owner, of: relationship, inverse, ownNumbers)
        else { continue }
        // Both ends of a relationship of an entity with itself have the same numbers: the names
        // decide.
        let order = columns.first { $0 == "Z_FOK_" + target.dropFirst(2) }
        return .pairs(
          table: table,
          owner: owner,
          target: target,
          order: relationship.isOrdered ? order : nil
        )
      }
    }
    return nil
  }

  private func isOwner(
    _ column: String,
    of relationship: ManagedModel.Relationship,
    _ inverse: ManagedModel.Relationship?,
    _ numbers: Set<Int64>
  ) -> Bool {
    guard let inverse else { return column == Self.reflexive || hasNumber(column, numbers) }
    return inverse.name == relationship.name && column == Self.reflexive
      || matches(column, inverse.name, numbers)
  }

  private func isNamed(
    _ table: String,
    _ relationship: ManagedModel.Relationship,
    _ inverse: ManagedModel.Relationship?,
    _ ownNumbers: Set<Int64>,
    _ targetNumbers: Set<Int64>
  ) -> Bool {
    matches(table, relationship.name, ownNumbers)
      || inverse.map { matches(table, $0.name, targetNumbers) } ?? false
  }

  /// Returns whether a name is `Z_`, one of the numbers, the relationship's name and optionally a
  /// number.
  private func matches(_ name: String, _ relationship: String, _ numbers: Set<Int64>) -> Bool {
    guard let (number, rest) = Self.parts(of: name), numbers.contains(number) else { return false }
    let upper = relationship.uppercased()
    return rest.hasPrefix(upper) && rest.dropFirst(upper.count).allSatisfy(\.isNumber)
  }

  private func hasNumber(_ name: String, _ numbers: Set<Int64>) -> Bool {
    Self.parts(of: name).map { numbers.contains($0.0) } ?? false
  }

  private static func parts(of name: String) -> (Int64, Substring)? {
    guard name.hasPrefix("Z_") else { return nil }
    let rest = name.dropFirst(2)
    let digits = rest.prefix(while: \.isNumber)
    guard let number = Int64(digits) else { return nil }
    return (number, rest.dropFirst(digits.count))
  }
}
