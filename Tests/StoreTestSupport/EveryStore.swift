import PostgreSQLTestSupport
import Testing

/// The stores that tests use, each at a new location.
public enum EveryStore: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case sqlite, json, memory, sqliteInMemory

  /// A ``TextKeyStore``, which has no URL.
  case textKeys

  /// A schema of the private server.
  case postgreSQL

  /// The built-in stores.
  public static let allCases: [EveryStore] = [.sqlite, .json, .memory, .sqliteInMemory]

  /// The built-in stores, and one whose keys are texts.
  public static let withTextKeys = allCases + [.textKeys]

  /// PostgreSQL if a server is installed.
  private static let onServer: [EveryStore] =
    PrivateCluster.isAvailable || PrivateCluster.isRequired ? [.postgreSQL] : []

  /// The built-in stores, including PostgreSQL.
  public static let withServer = allCases + onServer

  /// All stores.
  public static let withServerAndTextKeys = withTextKeys + onServer

  /// The built-in stores that migrate.
  public static let migrating: [EveryStore] = [.sqlite, .json] + onServer

  /// Whether the data is there when the store is opened again.
  public var persists: Bool { self == .sqlite || self == .json || self == .postgreSQL }

  public var testDescription: String { rawValue }

  /// The URL of a store in a folder.
  public func url(in folder: TemporaryFolder) -> String {
    switch self {
    case .sqlite: "sqlite:\(folder.file("store.db").path)"
    case .json: "json:\(folder.file("store.json").path)"
    case .memory: "memory:"
    case .sqliteInMemory: "sqlite::memory:"
    case .textKeys: ""
    case .postgreSQL:
      "postgres:///postgres?host=\((try? PrivateCluster.shared())?.folder.path ?? "missing")"
        + "&port=\(PrivateCluster.port)&user=tester&schema=\(folder.url.lastPathComponent)"
    }
  }
}
