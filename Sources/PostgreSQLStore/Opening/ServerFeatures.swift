/// The features of PostgreSQL that servers with its protocol may lack.
package struct ServerFeatures: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Locks by number, until the end of the transaction.
  package static let advisoryLocks = ServerFeatures(rawValue: 1)
  /// `LISTEN` and `NOTIFY`.
  package static let notifications = ServerFeatures(rawValue: 2)
  /// The isolation level `READ COMMITTED`; without it, transactions are serializable.
  package static let readCommitted = ServerFeatures(rawValue: 4)

  package static let all: ServerFeatures = [.advisoryLocks, .notifications, .readCommitted]

  /// Creates the features of a server by the text of `version()`.
  init(version: String) {
    let isCockroach = version.contains("CockroachDB")
    self = isCockroach || version.contains("-YB-") ? [.readCommitted] : .all
    if isCockroach { remove(.readCommitted) }
  }
}
