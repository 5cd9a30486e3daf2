import Foundation

/// The result of one statement, whose rows are in memory.
package final class QueryResult {
  private let library: LibPQ
  private let handle: OpaquePointer?
  /// The rows of a COPY.
  private let copied: CopiedRows?

  /// The number of rows.
  package let rowCount: Int
  /// The number of columns.
  package let columnCount: Int
  /// The types of the columns; zero for those that are not in binary format.
  private let types: [UInt32]

  init(_ handle: OpaquePointer, _ library: LibPQ) {
    self.handle = handle
    self.library = library
    copied = nil
    rowCount = max(0, Int(library.ntuples(handle)))
    columnCount = max(0, Int(library.nfields(handle)))
    types = (0..<Int32(columnCount)).map { column in
      library.fformat(handle, column) == 1 ? library.ftype(handle, column) : 0
    }
  }

  /// Creates a result of rows of a COPY.
  init(_ rows: CopiedRows, _ library: LibPQ) {
    handle = nil
    self.library = library
    copied = rows
    rowCount = rows.count
    columnCount = rows.types.count
    types = rows.types
  }

  deinit { library.clear(handle) }

  /// The name of the command, such as "COMMIT".
  var command: String {
    library.cmdStatus(handle).map { String(cString: $0) } ?? ""
  }

  /// The number of rows that the statement inserted, updated or deleted.
  package var changedRowCount: Int {
    let words = command.split(separator: " ")
    return words.first == "SELECT" ? 0 : words.last.flatMap { Int($0) } ?? 0
  }

  /// The names of the columns.
  package var columnNames: [String] {
    (0..<Int32(columnCount)).map { column in
      library.fname(handle, column).map { String(cString: $0) } ?? ""
    }
  }

  /// Returns the type of a column, or zero if it is not in binary format.
  package func typeID(of column: Int) -> UInt32 { types[column] }

  /// Returns the value of a column in a row, or `nil` if it is null.
  ///
  /// - Throws: ``PostgreSQLError`` of kind `invalidResponse` if there is no such row or column, if it
  ///   has another type, or if its bytes are invalid.
  package func value<Value: PostgreSQLValue>(
    _ row: Int,
    _ column: Int,
    as type: Value.Type = Value.self
  ) throws(PostgreSQLError) -> Value? {
    try value(row, column, as: type, stored: Value.typeID)
  }

  /// Returns the value of a column whose type has the binary format of another.
  package func value<Value: PostgreSQLValue>(
    _ row: Int,
    _ column: Int,
    as type: Value.Type,
    stored typeID: UInt32
  ) throws(PostgreSQLError) -> Value? {
    guard let field = try field(row, column, typeID: typeID) else { return nil }
    return try Value(field: field)
  }

  // Generic functions of another module are not specialized, which would cost more than decoding
  // the most frequent types.

  /// Returns an integer, as ``value(_:_:as:)`` does.
  package func integer(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Int64? {
    try value(row, column)
  }

  /// Returns a floating-point number, as ``value(_:_:as:)`` does.
  package func double(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Double? {
    try value(row, column)
  }

  /// Returns a string, as ``value(_:_:as:)`` does.
  package func string(_ row: Int, _ column: Int) throws(PostgreSQLError) -> String? {
    try value(row, column)
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
    guard (0..<rowCount).contains(row), types.indices.contains(column) else {
      throw PostgreSQLError(
        .invalidResponse,
        "Row \(row), column \(column) is not in a result of \(rowCount) × \(columnCount)."
      )
    }
    guard types[column] == typeID else {
      throw PostgreSQLError(
        .invalidResponse,
        "Column \(column) has the type \(types[column]); \(typeID) is expected."
      )
    }
    if let copied { return copied.fields[row * columnCount + column] }
    let (row, column) = (Int32(row), Int32(column))
    let length = Int(library.getlength(handle, row, column))
    if length == 0, library.getisnull(handle, row, column) == 1 { return nil }
    guard length >= 0, let start = library.getvalue(handle, row, column) else {
      throw PostgreSQLError(.invalidResponse, "A field has no valid length.")
    }
    return UnsafeRawBufferPointer(start: start, count: length)
  }
}
