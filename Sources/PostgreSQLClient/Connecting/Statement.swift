import Foundation
import StoreProtocol

/// A value of a statement's parameter, in the binary format of its type.
package struct Parameter: Sendable {
  package let typeID: UInt32
  /// The bytes, or `nil` for null.
  package let bytes: [UInt8]?

  /// Creates a parameter from a value.
  package init<Value: PostgreSQLValue>(_ value: Value?) {
    typeID = Value.typeID
    bytes = value.map {
      var bytes: [UInt8] = []
      $0.append(to: &bytes)
      return bytes
    }
  }

  /// Creates a parameter from an integer.
  package init(_ value: Int64) {
    // Generic functions of another module are not specialized.
    typeID = Int64.typeID
    bytes = Swift.withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) }
  }

  /// Creates a parameter from an array, whose elements can be null.
  package init<Value: PostgreSQLValue>(array: [Value?]) {
    var elements = ArrayBuilder(of: Value.self)
    for value in array { elements.append(value) }
    self = elements.take()
  }

  /// A null whose type the server infers.
  package static let null = Parameter(typeID: 0, nil)

  init(typeID: UInt32, _ bytes: [UInt8]?) {
    self.typeID = typeID
    self.bytes = bytes
  }
}

/// One SQL statement and its parameters.
package struct Statement: Sendable {
  package let sql: String
  package let parameters: [Parameter]
  /// A Boolean value that indicates whether to keep the statement prepared for further executions.
  package let isPrepared: Bool
  /// The observer of the request that postponed the statement, or `nil` if it was not postponed.
  private(set) var observer: StatementObserver?
  /// The text in the place of a schema's name that the connection determines.
  ///
  /// No SQL contains it otherwise.
  package static let schema = "\0"

  /// The maximum size of all parameters: the server limits a message and a value to a gigabyte.
  package static let mostBytes = (1 << 30) - (1 << 20)

  /// The size of the parameters.
  var byteCount: Int { parameters.reduce(0) { $0 + ($1.bytes?.count ?? 0) } }

  /// Creates a statement.
  ///
  /// Definitions, and statements that are executed once, are not worth preparing.
  package init(_ sql: String, _ parameters: [Parameter] = [], isPrepared: Bool = false) {
    self.sql = sql
    self.parameters = parameters
    self.isPrepared = isPrepared
  }

  /// Returns the statement with the observer of the current request.
  func observed() -> Statement {
    var statement = self
    statement.observer = StatementObserver.current
    return statement
  }

  /// Returns the statement with the quoted name of a schema in the places of ``schema``.
  package func inSchema(_ name: String) -> Statement {
    let hasSchema = sql.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    }
    if hasSchema == false { return self }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(sql.utf8.count + 4 * name.utf8.count)
    for byte in sql.utf8 {
      if byte == 0 { bytes += name.utf8 } else { bytes.append(byte) }
    }
    return Statement(String(decoding: bytes, as: UTF8.self), parameters, isPrepared: isPrepared)
  }
}

/// Quotes the names of tables, columns and schemas.
package enum SQLName {
  /// Returns a name as the literal of a string, whatever the server's `standard_conforming_strings`.
  package static func literal(_ name: String) -> String {
    let escaped = name.utf8.flatMap {
      $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\\") ? [$0, $0] : [$0]
    }
    return "E'" + String(decoding: escaped, as: UTF8.self) + "'"
  }

  /// Returns a name in double quotes.
  ///
  /// - Throws: ``PostgreSQLError`` of kind `invalidValue` if the name is empty, contains a NUL, or
  ///   is longer than 63 bytes, which the server would truncate without an error.
  package static func quoted(_ name: String) throws(PostgreSQLError) -> String {
    guard !name.isEmpty, !name.utf8.contains(0), name.utf8.count <= 63 else {
      throw PostgreSQLError(
        .invalidValue,
        "A name of \(name.utf8.count) bytes cannot be used in SQL. Names have 1 to 63 bytes, no NUL."
      )
    }
    // By bytes: a quotation mark with a combining mark is one character, and still a quotation mark
    // to the server.
    let doubled = name.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
    return "\"" + String(decoding: doubled, as: UTF8.self) + "\""
  }
}
