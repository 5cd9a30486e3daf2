import CSQLite

/// The storage class of a value in SQLite, regardless of its column's declared type.
@usableFromInline
package enum SQLStorage: Sendable {
  case integer
  case real
  case text
  case blob
  case null

  /// Creates the storage class of one of SQLite's codes.
  @inlinable
  package init(_ code: Int32) {
    switch code {
    case SQLITE_INTEGER: self = .integer
    case SQLITE_FLOAT: self = .real
    case SQLITE_TEXT: self = .text
    case SQLITE_BLOB: self = .blob
    default: self = .null
    }
  }
}
