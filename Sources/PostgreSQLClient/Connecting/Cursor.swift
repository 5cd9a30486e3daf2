/// Reads the rows of a query in portions, so that memory does not grow with their number.
///
/// A cursor belongs to the transaction in which it is opened, as poolers require.
package struct Cursor {
  private let connection: Connection
  private let next: Statement

  /// Opens the transaction's only cursor together with the next request of the connection.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - connection: A connection in a transaction.
  ///   - size: The number of rows of a portion.
  /// - Throws: ``PostgreSQLError`` of kind `misuse` if no transaction is open.
  package init(
    _ query: Statement,
    on connection: Connection,
    size: Int
  ) throws(PostgreSQLError) {
    guard !connection.isIdle else {
      throw PostgreSQLError(.misuse, "A cursor needs a transaction.")
    }
    self.connection = connection
    next = Statement("FETCH \(max(1, size)) FROM osd_rows")
    connection.opening.append(
      Statement("DECLARE osd_rows NO SCROLL CURSOR FOR \(query.sql)", query.parameters)
    )
  }

  /// Returns the next rows, or none at the end, in one round trip.
  package func portion() throws(PostgreSQLError) -> QueryResult { try connection.run(next) }
}
