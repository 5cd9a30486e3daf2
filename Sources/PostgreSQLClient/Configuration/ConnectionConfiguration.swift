import Foundation

/// A server, or several of which one is chosen, and how to connect.
///
/// libpq takes other settings from the usual `PG…` variables, `~/.pgpass` and service files.
///
/// Stores with equal configurations share connections.
package struct ConnectionConfiguration: Hashable, Sendable {
  /// A host name, address or folder of Unix sockets, and its port.
  ///
  /// `nil` is libpq's default.
  package struct Host: Sendable, Hashable {
    package var name: String?
    package var port: UInt16?

    package init(name: String? = nil, port: UInt16? = nil) {
      self.name = name
      self.port = port
    }

    /// A Boolean value that indicates whether the connection does not leave the machine.
    package var isLocal: Bool {
      guard let name, !name.isEmpty else { return true }
      return name.hasPrefix("/") || name.hasPrefix("@") || name == "localhost" || name == "::1"
        || (name.hasPrefix("127.") && name.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) })
    }
  }

  /// The role of the server to connect to.
  package enum TargetSession: String, Sendable {
    case any
    case readWrite = "read-write"
    case readOnly = "read-only"
    case primary
    case standby
    case preferStandby = "prefer-standby"
  }

  /// The hosts, tried in this order.
  ///
  /// Empty means the host of `PGHOST`, of a service, or libpq's default.
  package var hosts: [Host] = []
  package var database: String?
  package var user: String?
  package var password: Password?
  package var targetSession: TargetSession?
  /// Other parameters of libpq by name, such as `sslrootcert`.
  package var parameters: [String: String] = [:]
  /// A Boolean value that indicates whether statements are prepared under names.
  ///
  /// Set it to `false` behind a pooler that does not track prepared statements, such as PgBouncer
  /// before version 1.21 in transaction mode.
  package var preparesStatements = true

  package init() {}

  /// The parameters of libpq that ``parameters`` may contain.
  ///
  /// `options` is missing on purpose: poolers refuse it. `client_encoding` is always UTF8.
  package static let supportedParameters: Set<String> = [
    "application_name", "channel_binding", "gssencmode", "hostaddr", "keepalives",
    "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname", "passfile",
    "require_auth", "requirepeer", "service", "ssl_max_protocol_version",
    "ssl_min_protocol_version", "sslcert", "sslcrl", "sslcrldir", "sslkey", "sslmode",
    "sslnegotiation", "sslpassword", "sslrootcert", "sslsni", "tcp_user_timeout",
  ]

  /// Returns the hosts to try, with those of the environment if there are none here.
  func resolvedHosts(_ environment: [String: String]) -> [Host] {
    if !hosts.isEmpty { return hosts }
    // Only libpq knows the host of a service.
    guard parameters["service"] == nil, environment["PGSERVICE"] == nil else { return [Host()] }
    guard let names = environment["PGHOST"], !names.isEmpty else { return [Host()] }
    let ports = (environment["PGPORT"] ?? "").split(separator: ",").map { UInt16($0) }
    return names.split(separator: ",", omittingEmptySubsequences: false).enumerated().map {
      let port = ports.count == 1 ? ports.first : ports.dropFirst($0).first
      return Host(name: $1.isEmpty ? nil : String($1), port: port ?? nil)
    }
  }

  /// Returns the parameters of a connection to one host, without the password.
  func libraryParameters(
    for host: Host,
    environment: [String: String],
    libraryVersion: Int32
  ) -> [String: String] {
    var result = [
      "application_name": environment["PGAPPNAME"] ?? "OpenSwiftData", "keepalives": "1",
      "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
      "tcp_user_timeout": "30000",
    ]
    result.merge(parameters) { $1 }
    result["client_encoding"] = "UTF8"
    result["host"] = host.name
    result["port"] = host.port.map { String($0) }
    result["dbname"] = database
    result["user"] = user
    let service = result["service"] ?? environment["PGSERVICE"]
    let address = result["hostaddr"] ?? environment["PGHOSTADDR"]
    let isLocal = host.isLocal && address == nil && (host.name != nil || service == nil)
    if !isLocal {
      addVerification(to: &result, environment: environment, libraryVersion: libraryVersion)
    }
    return result
  }

  /// Demands a verified certificate unless the user chose another mode.
  private func addVerification(
    to result: inout [String: String],
    environment: [String: String],
    libraryVersion: Int32
  ) {
    if result["sslmode"] == nil, environment["PGSSLMODE"] == nil {
      result["sslmode"] = "verify-full"
    }
    // Older versions require a file of certificates, and say so.
    if libraryVersion >= 160_000, result["sslmode"] == "verify-full",
      result["sslrootcert"] == nil, environment["PGSSLROOTCERT"] == nil
    {
      result["sslrootcert"] = "system"
    }
  }
}

extension ConnectionConfiguration: CustomStringConvertible {
  /// The address, without a password and without parameters.
  package var description: String {
    let hosts = hosts.map { host in
      let name = host.name ?? ""
      let shown = name.contains(":") ? "[\(name)]" : name.hasPrefix("/") ? "" : name
      return shown + (host.port.map { ":\($0)" } ?? "")
    }
    return "postgres://" + (user.map { $0 + "@" } ?? "") + hosts.joined(separator: ",") + "/"
      + (database ?? "")
  }
}
