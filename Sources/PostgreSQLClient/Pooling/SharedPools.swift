import Synchronization

extension ConnectionPool {
  private static let pools = Mutex<[ConnectionConfiguration: WeakPool]>([:])

  /// Returns the process's pool of a configuration.
  ///
  /// Stores with the same servers, database, user, password and parameters share it. It exists as
  /// long as one of them retains it. The limit is that of the call that created it.
  package static func shared(
    _ configuration: ConnectionConfiguration,
    limit: Int = 16
  ) -> ConnectionPool {
    pools.withLock { pools in
      if let pool = pools[configuration]?.pool, pool.isOwn { return pool }
      pools = pools.filter { $0.value.pool != nil }
      let pool = ConnectionPool(configuration, limit: limit)
      pools[configuration] = WeakPool(pool: pool)
      return pool
    }
  }
}

private struct WeakPool {
  weak var pool: ConnectionPool?
}
