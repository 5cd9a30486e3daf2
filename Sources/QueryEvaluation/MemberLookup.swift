import StoreProtocol

/// Finds the related objects of rows for the evaluator, and caches the referring rows of each
/// relationship.
///
/// It is for one query on one state of the rows.
public final class MemberLookup {
  /// A function that calls a closure with each row of an entity and its subentities.
  public typealias Rows = (
    _ entity: String, _ body: (DefaultSnapshot) throws -> Void
  ) throws -> Void

  /// A function that returns the rows of an entity and its subentities that refer to a row.
  ///
  /// It may return other rows too.
  public typealias ReferringRows = (
    _ entity: String, _ owner: PersistentIdentifier
  ) throws -> [DefaultSnapshot]

  private let rows: Rows?
  private let referringRows: ReferringRows?
  private var referring: [StoreRelationship: [PersistentIdentifier.Key: [PersistentIdentifier]]] =
    [:]

  /// Creates a lookup among the rows that a function enumerates.
  public init(_ rows: @escaping Rows) {
    self.rows = rows
    referringRows = nil
  }

  /// Creates a lookup among rows that are indexed by their references.
  public init(referringRows: @escaping ReferringRows) {
    rows = nil
    self.referringRows = referringRows
  }

  /// Returns the related objects of a to-many property of a row, in order.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - index: The index of the property in the row's entity.
  /// - Returns: The identifiers of the related objects.
  /// - Throws: The errors of the function that enumerates rows.
  /// - Complexity: O(*n*) in the rows of the destination for the first row of a relationship whose
  ///   inverse is to-one, if the rows are not indexed.
  public func members(_ row: SnapshotRow, _ index: Int) throws -> [PersistentIdentifier] {
    let property = row.entity.properties[index]
    let listed = row.value(at: index).identifiers
    guard property.isDerivedToMany, let relationship = property.relationship,
      let inverse = relationship.inverse
    else { return listed }
    let members = try referring(relationship, inverse, row.identifier)
    return MemberOrder.ordered(members, by: listed)
  }

  private func referring(
    _ relationship: StoreRelationship,
    _ inverse: String,
    _ owner: PersistentIdentifier
  ) throws -> [PersistentIdentifier] {
    if let referringRows {
      return try referringRows(relationship.destination, owner).filter { record in
        guard case .identifier(let other) = record[inverse] else { return false }
        return other.key == owner.key
      }.map(\.persistentIdentifier)
    }
    if referring[relationship] == nil {
      var found: [PersistentIdentifier.Key: [PersistentIdentifier]] = [:]
      try rows?(relationship.destination) { record in
        guard case .identifier(let owner) = record[inverse] else { return }
        found[owner.key, default: []].append(record.persistentIdentifier)
      }
      referring[relationship] = found
    }
    return referring[relationship]?[owner.key] ?? []
  }
}
