/// A store that reads the rows of members together with whose members they are.
///
/// This spares the layer above asking for the members first and for their rows by key then.
package protocol MemberReading: RecordStore {
  /// Reads the rows of the members of a to-many relationship that refer to their owners themselves.
  ///
  /// The rows come in no order. Rows and kept orders are of one state of the store.
  ///
  /// - Parameters:
  ///   - property: The name of the relationship.
  ///   - entity: The entity that has it.
  ///   - owners: The keys of the owners' rows.
  ///   - body: Takes a row by its number, with the key of its owner; ``RowReader/scope`` says what else
  ///     identifies it.
  /// - Returns: The order that an owner keeps, by its key, where it keeps one; nil, and no row is
  ///   read, where the store lists the members elsewhere.
  /// - Throws: What the store and the body throw.
  func readMembers(
    of property: String,
    in entity: String,
    owners: [Int64],
    _ body: (_ owner: Int64, _ number: Int64, RowReader) throws -> Void
  ) throws -> [Int64: [Int64]]?
}
