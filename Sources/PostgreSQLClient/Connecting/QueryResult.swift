import Foundation

/// The result of one statement, whose rows are in memory.
package final class QueryResult {
  private let library: LibPQ
  private let handle: OpaquePointer

  /// The number of rows.
  package let rowCount: Int
  /// The number of columns.
  package let columnCount: Int

  init(_ handle: OpaquePointer, _ library: LibPQ) {
    self.handle = handle
    self.library = library
    rowCount = max(0, Int(library.ntuples(handle)))
    columnCount = max(0, Int(library.nfields(handle)))
  }

  deinit { library.clear(handle) }

  /// The number of rows that the statement inserted, updated, deleted or returned, or `nil` if the
  /// server did not report it.
  package var affectedRows: Int? {
    library.cmdTuples(handle).flatMap { Int(String(cString: $0)) }
  }

  /// The name of the command, such as "COMMIT".
  var command: String {
    library.cmdStatus(handle).map { String(cString: $0) } ?? ""
  }

  /// Returns the value of a column in a row, or `nil` if it is null.
  ///
  /// - Throws: ``PostgreSQLError`` of kind `invalidResponse` if there is no such row or column, if it
  ///   has another type, or if its bytes are invalid.
  package func value<Value: PostgreSQLValue>(
    _ row: Int,
    _ column: Int,
    as type: Value.Type = Value.self
  ) throws(PostgreSQLError) -> Value? {
    guard let field = try field(row, column, typeID: Value.typeID) else { return nil }
    return try Value(field: field)
  }

  /// Returns the array in a column of a row, or `nil` if it is null.
  ///
  /// - Throws: The errors of ``value(_:_:as:)``.
  package func array<Value: PostgreSQLValue>(
    _ row: Int,
    _ column: Int,
    of type: Value.Type = Value.self
  ) throws(PostgreSQLError) -> [Value?]? {
    guard let field = try field(row, column, typeID: Value.arrayTypeID) else { return nil }
    return try ArrayField.decode(field)
  }

  /// Returns the bytes of a field, valid as long as the result.
  private func field(
    _ row: Int,
    _ column: Int,
    typeID: UInt32
  ) throws(PostgreSQLError) -> UnsafeRawBufferPointer? {
    guard (0..<rowCount).contains(row), (0..<columnCount).contains(column) else {
      throw PostgreSQLError(
        .invalidResponse,
        "Row \(row), column \(column) is not in a result of \(rowCount) × \(columnCount)."
      )
    }
    let (row, column) = (Int32(row), Int32(column))
    let found = library.ftype(handle, column)
    guard found == typeID, library.fformat(handle, column) == 1 else {
      throw PostgreSQLError(
        .invalidResponse,
        "Column \(column) has the type \(found); \(typeID) is expected."
      )
    }
    if library.getisnull(handle, row, column) == 1 { return nil }
    let length = Int(library.getlength(handle, row, column))
    guard length >= 0, let start = library.getvalue(handle, row, column) else {
      throw PostgreSQLError(.invalidResponse, "A field has no valid length.")
    }
    return UnsafeRawBufferPointer(start: start, count: length)
  }
}
