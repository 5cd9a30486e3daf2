import Foundation
import PostgreSQLClient

/// A PostgreSQL server of the test process alone, on a Unix socket in a temporary folder.
///
/// It is created when a test first needs it.
package final class PrivateCluster: Sendable {
  /// The folder of the server's programs, or `nil` if it is not installed.
  package static let programs: URL? = {
    let roots = ["/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt", "/usr/local/opt"]
    let installed = roots.flatMap { root in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
      return names.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
        .map { URL(filePath: root).appending(path: $0).appending(path: "bin") }
    }
    let fallback = [URL(filePath: "/usr/bin"), URL(filePath: "/usr/local/bin")]
    return (installed + fallback).first {
      FileManager.default.isExecutableFile(atPath: $0.appending(path: "initdb").path)
    }
  }()

  /// Whether tests can have a server.
  package static var isAvailable: Bool { programs != nil && (try? LibPQ.load()) != nil }

  /// Whether tests that need a server must not be skipped: `OPENSWIFTDATA_REQUIRED=postgresql`.
  package static var isRequired: Bool {
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_REQUIRED"]?.contains("postgresql") == true
  }

  private static let running = Result { try PrivateCluster() }

  /// Returns the server of this process.
  package static func shared() throws -> PrivateCluster { try running.get() }

  package static let port: UInt16 = 5432

  /// The folder of the server's socket.
  package let folder: URL
  private let process: ChildServer

  private init() throws {
    guard let programs = Self.programs else {
      throw ClusterError(description: "no PostgreSQL server is installed")
    }
    folder = try ChildServer.makeFolder("pg")
    let port = Self.port
    process = try ChildServer(
      "the PostgreSQL server",
      in: folder,
      """
      programs="\(programs.path)"
      $run "$programs/initdb" -D "$folder/data" -U tester --auth=trust --encoding=UTF8 --locale=C \
      --no-sync >log 2>&1 || exit 1
      $run "$programs/postgres" -D "$folder/data" -k "$folder" -p \(port) -c listen_addresses= \
      -c fsync=off -c full_page_writes=off -c max_connections=100 -c lc_messages=C -c jit=off \
      >>log 2>&1 &
      server=$!
      until [ -S "$folder/.s.PGSQL.\(port)" ] && $run "$programs/pg_isready" -q -h "$folder" \
      -p \(port); do kill -0 $server || exit 1; sleep 0.05; done
      """
    )
  }
}

package struct ClusterError: Error, CustomStringConvertible {
  package let description: String
}

extension PrivateCluster {
  /// The configuration of connections to the server, or to a proxy's socket in another folder.
  package func configuration(folder: String? = nil) -> ConnectionConfiguration {
    var configuration = ConnectionConfiguration()
    configuration.hosts = [.init(name: folder ?? self.folder.path, port: Self.port)]
    configuration.database = "postgres"
    configuration.user = "tester"
    return configuration
  }

  /// Runs a function with the configuration of connections to a new database, which is dropped
  /// afterward.
  package func withDatabase<Result>(
    _ body: (ConnectionConfiguration) throws -> Result
  ) throws -> Result {
    let name = "d" + UUID().uuidString
    try connect().run(Statement("CREATE DATABASE \"\(name)\""))
    defer { _ = try? connect().run(Statement("DROP DATABASE \"\(name)\" WITH (FORCE)")) }
    var configuration = self.configuration()
    configuration.database = name
    return try body(configuration)
  }

  /// Returns the server's log.
  package func log() throws -> String {
    String(decoding: try Data(contentsOf: folder.appending(path: "log")), as: UTF8.self)
  }

  /// The names of schemas that begin with a name.
  package func schemas(beginningWith name: String) throws -> [String] {
    let result = try connect().run(
      Statement(
        "SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, $1) ORDER BY 1",
        [Parameter(name)]
      )
    )
    return try (0..<result.rowCount).compactMap { try result.value($0, 0, as: String.self) }
  }

  /// Opens a connection.
  package func connect(
    folder: String? = nil,
    deadline: Deadline = .after(.seconds(60))
  ) throws -> Connection {
    try Connection.open(configuration(folder: folder), deadline: deadline, environment: [:])
  }
}
