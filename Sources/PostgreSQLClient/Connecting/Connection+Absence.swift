extension Connection {
  /// Returns the rows of a query, or none if a table does not exist, in one round trip outside of a
  /// transaction.
  ///
  /// To query a table that does not exist would leave an error in the server's log. PL/pgSQL does not
  /// analyze statements that it does not execute. If the role cannot use it, the query is executed
  /// alone, in one more round trip.
  ///
  /// - Parameters:
  ///   - query: The query, without parameters.
  ///   - table: The name of the table in SQL.
  /// - Returns: The rows.
  /// - Throws: ``PostgreSQLError``.
  package func rows(
    of query: String,
    ifExists table: String
  ) throws(PostgreSQLError) -> QueryResult {
    let block = """
      DECLARE osd_found refcursor := 'osd_found'; \
      BEGIN IF to_regclass(\(SQLName.literal(table))) IS NULL \
      THEN OPEN osd_found FOR SELECT WHERE false; ELSE OPEN osd_found FOR \(query); END IF; END
      """
    do throws(PostgreSQLError) {
      return try run([
        Statement("DO LANGUAGE plpgsql \(SQLName.literal(block))"),
        Statement("FETCH ALL FROM osd_found"),
      ])[1]
    } catch {
      guard error.isRefusal else { throw error }
      return try run(Statement(query))
    }
  }
}
