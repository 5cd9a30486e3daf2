import Foundation
import PostgreSQLClient

/// A PgBouncer in transaction mode, with two connections to the private server for any number of
/// clients.
package final class PrivatePooler: Sendable {
  /// The program, or `nil` if it is not installed.
  private static let program = [
    "/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer",
    "/usr/local/bin/pgbouncer",
  ].first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Whether tests can have a pooler.
  package static var isAvailable: Bool { program != nil && PrivateCluster.isAvailable }

  /// Whether tests that need a pooler must not be skipped: `OPENSWIFTDATA_REQUIRED=pgbouncer`.
  package static var isRequired: Bool {
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_REQUIRED"]?.contains("pgbouncer") == true
  }

  private static let running = Result { try PrivatePooler() }

  /// Returns the pooler of this process.
  package static func shared() throws -> PrivatePooler { try running.get() }

  /// The folder of the pooler's socket, whose port is that of the server.
  package let folder: URL
  private let process: ChildServer

  /// Starts a pooler.
  ///
  /// - Parameters:
  ///   - server: The folder of the server's socket, or `nil` for that of the private server.
  ///   - settings: Lines of further settings.
  /// - Throws: ``ClusterError`` if it does not start.
  package init(server: URL? = nil, settings: [String] = []) throws {
    guard let program = Self.program else {
      throw ClusterError(description: "PgBouncer is not installed")
    }
    let server = try (server ?? PrivateCluster.shared().folder).path
    folder = try ChildServer.makeFolder("pool-\(UUID().uuidString.prefix(8))")
    let lines = """
      [databases]
      * = host=\(server) port=\(PrivateCluster.port) user=tester
      [pgbouncer]
      unix_socket_dir = \(folder.path)
      listen_port = \(PrivateCluster.port)
      auth_type = any
      pool_mode = transaction
      default_pool_size = 2
      max_client_conn = 500
      \(settings.joined(separator: "\n"))
      """
    try lines.write(to: folder.appending(path: "ini"), atomically: false, encoding: .utf8)
    process = try ChildServer(
      "PgBouncer",
      in: folder,
      """
      $run "\(program)" "$folder/ini" >>log 2>&1 &
      server=$!
      until [ -S "$folder/.s.PGSQL.\(PrivateCluster.port)" ]; do
      kill -0 $server || exit 1; sleep 0.05; done
      """
    )
  }

  /// The configuration of connections through the pooler.
  package func configuration() throws -> ConnectionConfiguration {
    var configuration = try PrivateCluster.shared().configuration(folder: folder.path)
    // PgBouncer before version 1.21 does not track prepared statements.
    configuration.preparesStatements = false
    return configuration
  }
}
