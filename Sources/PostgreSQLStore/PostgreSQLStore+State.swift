import Foundation
import PostgreSQLClient
import StoreProtocol

extension PostgreSQLStore {
  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    let table = "\(map.space)._saves"
    // A save that waited until the timeout does not wait as long once more: a server that responds
    // again does so at once.
    let isExhausted = writer.exhausted.withLock { $0.remove(identifier) } != nil
    let wait = isExhausted ? min(configuration.timeout, .seconds(1)) : configuration.timeout
    // A save that is still in progress blocks this statement. Afterward, its outcome is final.
    let number: Int64? = try session.write(deadline: .after(wait)) { connection in
      let results = try connection.commit([
        Statement(
          "INSERT INTO \(table) (save, at) VALUES ($1, \(ServerClock.now)) "
            + "ON CONFLICT (save) DO NOTHING",
          [Parameter(identifier)]
        ),
        Statement("SELECT number FROM \(table) WHERE save = $1", [Parameter(identifier)]),
      ])
      return try results.last?.value(0, 0, as: Int64.self)
    }
    let recorded = writer.indeterminate.withLock { $0.removeValue(forKey: identifier) }
    guard let number else { return .notSaved }
    return .saved(recorded ?? StoreChangesResult(version: number))
  }

  public func nextKey() throws -> Int64? {
    let statement = Statement("SELECT next_key FROM \(map.space)._meta", isPrepared: true)
    return try session.read { try $0.run(statement).value(0, 0, as: Int64.self) }
  }

  /// Closes the store, after the requests in progress.
  ///
  /// Every later request throws ``DataStoreError/storeClosed``. The connections belong to the
  /// process's pool, which other stores may use.
  public func close() throws { session.close() }
}
