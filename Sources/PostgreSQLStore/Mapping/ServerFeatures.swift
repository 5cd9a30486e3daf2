/// The features of PostgreSQL that servers with its protocol may lack.
package struct ServerFeatures: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Locks by number, until the end of the transaction.
  package static let advisoryLocks = ServerFeatures(rawValue: 1)
  /// `LISTEN` and `NOTIFY`.
  package static let notifications = ServerFeatures(rawValue: 2)
  /// The isolation levels below `SERIALIZABLE`; without them, all transactions are serializable.
  package static let weakIsolation = ServerFeatures(rawValue: 4)
  /// SP-GiST and hash indexes; without them, an `#Index` that begins with a string or data is none.
  package static let indexMethods = ServerFeatures(rawValue: 8)
  /// Nodes that are all alike, or one node.
  ///
  /// Without it, each store is on one node of a Citus cluster. Another node creates the stores, and
  /// settings of a transaction take effect on its own node unless they are propagated.
  package static let equalNodes = ServerFeatures(rawValue: 16)
  /// COPY of a query's rows in binary format, and no conflict between a single read and saves.
  package static let copying = ServerFeatures(rawValue: 32)
  /// Rows that name the transaction that wrote them, and its numbers of written rows.
  package static let transactionRows = ServerFeatures(rawValue: 64)

  package static let all: ServerFeatures = [
    .advisoryLocks, .notifications, .weakIsolation, .indexMethods, .equalNodes, .copying,
    .transactionRows,
  ]
  package static let cockroachDB: ServerFeatures = [.equalNodes]
  package static let yugabyteDB: ServerFeatures = [.weakIsolation, .equalNodes]
  /// Advisory locks are those of the coordinator, which creates all stores.
  package static let citus: ServerFeatures = [.advisoryLocks, .weakIsolation, .indexMethods]

  /// Creates the features of a server by the text of `version()`, in which Citus is not named.
  init(version: String, hasCitus: Bool) {
    self =
      version.contains("CockroachDB")
      ? .cockroachDB : version.contains("-YB-") ? .yugabyteDB : hasCitus ? .citus : .all
  }
}
