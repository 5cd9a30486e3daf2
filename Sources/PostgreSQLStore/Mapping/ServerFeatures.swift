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

  package static let all: ServerFeatures = [
    .advisoryLocks, .notifications, .weakIsolation, .indexMethods,
  ]
  package static let cockroachDB: ServerFeatures = []
  package static let yugabyteDB: ServerFeatures = [.weakIsolation]

  /// Creates the features of a server by the text of `version()`.
  init(version: String) {
    self =
      version.contains("CockroachDB")
      ? .cockroachDB : version.contains("-YB-") ? .yugabyteDB : .all
  }
}
