import Foundation

/// A URL of the form `postgres://user@host:port,host:port/database?schema=trips&sslmode=…`.
///
/// libpq's own parser is not used, because its errors quote a password that is badly encoded.
package struct ConnectionURL: Sendable {
  package var configuration = ConnectionConfiguration()
  /// The schema to use, or `nil` if the URL names none.
  package var schema: String?
  /// Parameters that are neither libpq's nor the client's.
  package var others: [String: String] = [:]

  /// The names of the parameters of connections.
  package static var parameters: [String] {
    [
      "dbname", "host", "password", "port", "prepare", "target_session_attrs", "user",
    ] + ConnectionConfiguration.supportedParameters
  }

  /// Parses a URL.
  ///
  /// - Throws: ``PostgreSQLError`` of kind `invalidConfiguration`, which quotes no part of the URL
  ///   except the names of known parameters.
  package init(_ url: String) throws(PostgreSQLError) {
    let schemes = ["postgres://", "postgresql://"]
    guard let scheme = schemes.first(where: { url.hasPrefix($0) }) else {
      throw Self.invalid("it does not begin with postgres:// or postgresql://")
    }
    let parts = url.dropFirst(scheme.count).halves(at: "?")
    let address = parts[0].halves(at: "/")
    // The rest may be the end of a password that is not encoded; it must not become a name.
    let rest = parts.dropFirst().joined()
    guard !rest.contains("@") || !rest.contains("ddlURL=") else {
      throw Self.invalid("the URL that its parameter ddlURL names is not percent-encoded")
    }
    guard !rest.contains("@"), !address.dropFirst().joined().contains("@")
    else { throw Self.invalid("'@', '/' and '?' are percent-encoded in a user and a password") }
    try parseAuthority(address[0])
    if address.count > 1, !address[1].isEmpty {
      configuration.database = try Self.decoded(address[1], "database")
    }
    if parts.count > 1 { try parseParameters(parts[1]) }
  }

  private mutating func parseAuthority(_ authority: Substring) throws(PostgreSQLError) {
    var hosts = authority
    if let at = authority.lastIndex(of: "@") {
      let credentials = authority[..<at].halves(at: ":")
      if !credentials[0].isEmpty { configuration.user = try Self.decoded(credentials[0], "user") }
      if credentials.count > 1 { try setPassword(credentials[1]) }
      hosts = authority[authority.index(after: at)...]
    }
    guard !hosts.isEmpty else { return }
    for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
      configuration.hosts.append(try Self.host(host))
    }
  }

  private mutating func setPassword(_ text: Substring) throws(PostgreSQLError) {
    configuration.password = Password(try Self.decoded(text, "password"))
  }

  private static func host(
    _ text: Substring
  ) throws(PostgreSQLError) -> ConnectionConfiguration.Host {
    var name = text
    var port: Substring?
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { throw invalid("an address has no ']'") }
      name = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw invalid("']' is not followed by ':'") }
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = text.firstIndex(of: ":") {
      name = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    var host = ConnectionConfiguration.Host()
    if !name.isEmpty { host.name = try decoded(name, "host") }
    if let port, !port.isEmpty { host.port = try number(port) }
    return host
  }

  private static func number(_ text: Substring) throws(PostgreSQLError) -> UInt16 {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(text), port > 0 else {
      throw invalid("a port is not an integer from 1 to 65535")
    }
    return port
  }

  private mutating func parseParameters(_ text: Substring) throws(PostgreSQLError) {
    var seen: Set<String> = []
    for pair in text.split(separator: "&") {
      let parts = pair.halves(at: "=")
      let name = try Self.decoded(parts[0], "parameter")
      guard parts.count == 2 else { throw Self.invalid("a parameter has no value") }
      guard seen.insert(name).inserted else { throw Self.invalid("a parameter is given twice") }
      try set(name, parts[1])
    }
  }

  private mutating func set(_ name: String, _ text: Substring) throws(PostgreSQLError) {
    if name == "password" { return try setPassword(text) }
    let value = try Self.decoded(text, name)
    switch name {
    case "schema":
      guard !value.isEmpty else { throw Self.invalid("'schema' is empty") }
      schema = value
    case "user": configuration.user = value
    case "dbname": configuration.database = value
    case "host": try setHosts(value)
    case "port": try setPorts(value)
    case "prepare": configuration.preparesStatements = try Self.flag(value, name)
    case "target_session_attrs":
      guard let target = ConnectionConfiguration.TargetSession(rawValue: value) else {
        throw Self.invalid("'target_session_attrs' has an unknown value")
      }
      configuration.targetSession = target
    case "options", "client_encoding", "replication", "connect_timeout":
      throw Self.invalid("the parameter '\(name)' is not supported")
    case _ where ConnectionConfiguration.supportedParameters.contains(name):
      configuration.parameters[name] = value
    default: others[name] = value
    }
  }

  /// Sets the hosts of a parameter, which can be folders of Unix sockets.
  private mutating func setHosts(_ value: String) throws(PostgreSQLError) {
    guard configuration.hosts.allSatisfy({ $0.name == nil }), configuration.hosts.count <= 1 else {
      throw Self.invalid("the host is given twice")
    }
    let port = configuration.hosts.first?.port
    configuration.hosts = value.split(separator: ",", omittingEmptySubsequences: false).map {
      .init(name: $0.isEmpty ? nil : String($0), port: port)
    }
  }

  private mutating func setPorts(_ value: String) throws(PostgreSQLError) {
    var ports: [UInt16] = []
    for text in value.split(separator: ",", omittingEmptySubsequences: false) {
      ports.append(try Self.number(text))
    }
    if configuration.hosts.isEmpty { configuration.hosts = [.init()] }
    guard ports.count == 1 || ports.count == configuration.hosts.count else {
      throw Self.invalid("the number of ports differs from the number of hosts")
    }
    for index in configuration.hosts.indices {
      configuration.hosts[index].port = ports.count == 1 ? ports[0] : ports[index]
    }
  }

  /// Returns the value of a parameter that is yes or no.
  package static func flag(_ value: String, _ name: String) throws(PostgreSQLError) -> Bool {
    switch value {
    case "yes", "on", "true": return true
    case "no", "off", "false": return false
    default: throw invalid("'\(name)' must be yes or no")
    }
  }

  /// Decodes percent-encoding.
  ///
  /// A NUL, which libpq's strings cannot contain, is invalid.
  private static func decoded(_ text: Substring, _ part: String) throws(PostgreSQLError) -> String {
    guard let result = String(text).removingPercentEncoding, !result.utf8.contains(0) else {
      throw invalid("the percent-encoding of its \(part) is invalid")
    }
    return result
  }

  private static func invalid(_ reason: String) -> PostgreSQLError {
    PostgreSQLError(.invalidConfiguration, "The URL of a PostgreSQL store is invalid: \(reason).")
  }
}

extension Substring {
  /// Returns the parts before and after the first separator, or the whole if there is none.
  fileprivate func halves(at separator: Character) -> [Substring] {
    split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
  }
}
