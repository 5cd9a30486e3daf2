/// An error of the client or of the server.
///
/// The description contains no password and no value: the server's detail, hint and context are
/// never read. Nor is the message of a data exception (class 22), which quotes values.
package struct PostgreSQLError: Error, Sendable, Equatable {
  /// The kinds of error that a caller distinguishes.
  package enum Kind: Sendable, Equatable {
    /// libpq is not installed or is too old.
    case libraryMissing
    /// A URL or setting is invalid.
    case invalidConfiguration
    /// No server was reached, or none accepted the connection.
    case cannotConnect
    /// The connection was lost. A statement outside a transaction may have taken effect.
    case connectionLost
    /// The deadline passed. The connection is closed.
    case deadlineExceeded
    /// The statement was canceled, by the client or by the server's timeout.
    case canceled
    /// A COMMIT was sent, and its outcome is unknown.
    case outcomeUnknown
    /// The transaction conflicts with another one; all of it can be tried again.
    case serializationFailure
    /// A lock was not granted in time; the transaction can be tried again.
    case lockTimeout
    /// The server does not know a prepared statement, or its plan is outdated. Can be tried again.
    case statementForgotten
    /// A unique constraint is violated.
    case uniqueViolation
    /// Another constraint is violated.
    case constraintViolation
    /// The role has no permission.
    case permissionDenied
    /// The server accepts reads only, as a replica does.
    case readOnly
    /// A table, column, schema or function does not exist.
    case undefinedObject
    /// A value is outside the range of its type or cannot be represented.
    case invalidValue
    /// A limit of the server's row, index or statement size is exceeded.
    case limitExceeded
    /// The server has no memory, disk space or connection left.
    case resources
    /// The server's response violates the protocol or does not fit the statement.
    case invalidResponse
    /// The client was used in a state that does not allow the call.
    case misuse
    /// The connections are those of the parent process.
    case inherited
    /// Any other error.
    case other
  }

  package let kind: Kind
  /// The server's error code of five characters, or `nil` if the error is the client's own.
  package let sqlState: String?
  /// A sentence on what failed and what to do.
  package let message: String

  package init(_ kind: Kind, _ message: String, sqlState: String? = nil) {
    self.kind = kind
    self.message = message
    self.sqlState = sqlState
  }

  /// Creates the error that a server reports.
  package init(sqlState: String, message: String) {
    let quotesValues = sqlState.hasPrefix("22")
    self.init(
      Kind(sqlState: sqlState),
      quotesValues ? "The server refused a value" : message,
      sqlState: sqlState
    )
  }

  /// The error of a process that was forked from the one that opened the connections.
  static let inherited = PostgreSQLError(
    .inherited,
    "The connections to the PostgreSQL server are those of the parent process; open new ones."
  )

  /// A Boolean value that indicates whether the transaction had no effect and can be tried again.
  package var isRetryable: Bool {
    switch kind {
    case .serializationFailure, .lockTimeout, .statementForgotten: true
    default: false
    }
  }

  /// A Boolean value that indicates whether the server refused a statement for its content.
  package var isRefusal: Bool {
    sqlState != nil && !isRetryable && !endsConnection && kind != .canceled
  }

  /// A Boolean value that indicates whether a statement converted a text to a number, to fail.
  package var isFailedCheck: Bool { sqlState == "22P02" }

  /// A Boolean value that indicates whether a schema, table or row to be created exists already.
  package var isDuplicate: Bool {
    ["23505", "42P06", "42P07", "42710"].contains(sqlState)
  }

  /// A Boolean value that indicates whether the server refused a statement without a reason of the
  /// SQL standard.
  ///
  /// A worker of a Citus cluster refuses in this way to create and change tables.
  package var isInternal: Bool { kind == .other && sqlState == "XX000" }

  /// A Boolean value that indicates whether the connection can be used no more.
  package var endsConnection: Bool {
    switch kind {
    case .connectionLost, .deadlineExceeded, .outcomeUnknown, .cannotConnect, .invalidResponse: true
    default: false
    }
  }
}

extension PostgreSQLError.Kind {
  /// Creates the kind of a server's error code.
  ///
  /// It depends on codes, never on messages, which are translated.
  init(sqlState: String) {
    switch sqlState {
    case "40001", "40P01": self = .serializationFailure
    case "55P03": self = .lockTimeout
    case "40003", "08007": self = .outcomeUnknown
    case "26000", "42P05": self = .statementForgotten
    case "23505": self = .uniqueViolation
    case "42501": self = .permissionDenied
    case "25006": self = .readOnly
    case "57014": self = .canceled
    case "42P01", "42703", "3F000", "42883", "42704": self = .undefinedObject
    case "57P01", "57P02", "57P03", "57P05", "25P03": self = .connectionLost
    default:
      switch sqlState.prefix(2) {
      case "08": self = .connectionLost
      case "22": self = .invalidValue
      case "23": self = .constraintViolation
      case "28": self = .permissionDenied
      case "53": self = .resources
      case "54": self = .limitExceeded
      default: self = .other
      }
    }
  }
}

extension PostgreSQLError: CustomStringConvertible {
  package var description: String {
    sqlState.map { "\(message) (SQLSTATE \($0))" } ?? message
  }
}
