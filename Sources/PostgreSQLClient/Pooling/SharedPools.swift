import Synchronization

extension ConnectionPool {
  private static let pools = Mutex<[PoolKey: WeakPool]>([:])

  /// Returns the process's pool of a configuration.
  ///
  /// Stores with the same servers, database, user, password and parameters share it. It exists as
  /// long as one of them retains it. The limit is that of the call that created it.
  package static func shared(
    _ configuration: ConnectionConfiguration,
    limit: Int = 16
  ) -> ConnectionPool {
    let key = PoolKey(configuration)
    return pools.withLock { pools in
      if let pool = pools[key]?.pool { return pool }
      pools = pools.filter { $0.value.pool != nil }
      let pool = ConnectionPool(configuration, limit: limit)
      pools[key] = WeakPool(pool: pool)
      return pool
    }
  }
}

private struct WeakPool {
  weak var pool: ConnectionPool?
}

/// The settings that two stores must have in common to share connections.
private struct PoolKey: Hashable {
  private let password: Password?
  private let hosts: [ConnectionConfiguration.Host]
  private let names: [String?]
  private let parameters: [String: String]
  private let preparesStatements: Bool

  init(_ configuration: ConnectionConfiguration) {
    password = configuration.password
    hosts = configuration.hosts
    names = [
      configuration.database, configuration.user, configuration.targetSession?.rawValue,
    ]
    parameters = configuration.parameters
    preparesStatements = configuration.preparesStatements
  }
}
