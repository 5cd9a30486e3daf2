/// Reads the rows of a query in portions, so that memory does not grow with their number.
///
/// A cursor belongs to the transaction in which it is opened, as poolers require.
package struct Cursor {
  private let connection: Connection
  private let next: Statement

  /// Opens a cursor together with the next request of the connection.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - connection: A connection in a transaction.
  ///   - name: A name that no other cursor of the transaction has.
  ///   - size: The number of rows of a portion.
  /// - Throws: ``PostgreSQLError`` of kind `misuse` if no transaction is open.
  package init(
    _ query: Statement,
    on connection: Connection,
    name: String = "osd_rows",
    size: Int = 1000
  ) throws(PostgreSQLError) {
    guard !connection.isIdle else {
      throw PostgreSQLError(.misuse, "A cursor needs a transaction.")
    }
    let quoted = try SQLName.quoted(name)
    self.connection = connection
    next = Statement("FETCH \(max(1, size)) FROM \(quoted)")
    connection.opening.append(
      Statement("DECLARE \(quoted) NO SCROLL CURSOR FOR \(query.sql)", query.parameters)
    )
  }

  /// Returns the next rows, or none at the end, in one round trip.
  package func portion() throws(PostgreSQLError) -> QueryResult { try connection.run(next) }
}
