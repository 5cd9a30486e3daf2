import Foundation

extension Connection {
  /// Connects to the first suitable server of a configuration.
  ///
  /// Each host gets an equal share of the remaining time, so that an unreachable one does not use
  /// up the time of the others. Host names are resolved by the system, which has time limits of its
  /// own.
  ///
  /// - Throws: ``PostgreSQLError`` of kind `cannotConnect` with the reasons of all hosts.
  package static func open(
    _ configuration: ConnectionConfiguration,
    deadline: Deadline,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(PostgreSQLError) -> Connection {
    let library = try LibPQ.load()
    let attempts = attempts(configuration, environment, library)
    let password = configuration.password.map { ["password": $0.value] } ?? [:]
    var reasons: [String] = []
    for (index, parameters) in attempts.enumerated() {
      do {
        let connection = try open(
          parameters.merging(password) { $1 },
          library,
          deadline: deadline.share(of: attempts.count - index),
          preparesStatements: configuration.preparesStatements
        )
        connection.deadline = deadline
        return connection
      } catch {
        let host = parameters["host"] ?? "the default host"
        reasons.append("\(host): \(error.message)")
      }
    }
    throw PostgreSQLError(
      .cannotConnect,
      "Cannot connect to \(configuration): "
        + redacted(reasons.joined(separator: "; "), password["password"])
    )
  }

  /// Returns the parameters of each attempt.
  private static func attempts(
    _ configuration: ConnectionConfiguration,
    _ environment: [String: String],
    _ library: LibPQ
  ) -> [[String: String]] {
    let hosts = configuration.resolvedHosts(environment)
    // libpq makes two passes over its list of hosts; here each attempt has one host.
    let isPreferred = configuration.targetSession == .preferStandby
    let targets = isPreferred ? ["standby", "any"] : [configuration.targetSession?.rawValue]
    return targets.flatMap { target in
      hosts.map { host in
        var parameters = configuration.libraryParameters(
          for: host,
          environment: environment,
          libraryVersion: library.libVersion()
        )
        parameters["target_session_attrs"] = target
        return parameters
      }
    }
  }

  /// Removes a password from libpq's message, which should not contain it.
  private static func redacted(_ text: String, _ password: String?) -> String {
    guard let password, !password.isEmpty else { return text }
    return text.replacingOccurrences(of: password, with: "•••", options: .literal)
  }

  private static func open(
    _ parameters: [String: String],
    _ library: LibPQ,
    deadline: Deadline,
    preparesStatements: Bool
  ) throws(PostgreSQLError) -> Connection {
    let names = parameters.keys.sorted()
    let handle = withCStrings(names) { names in
      withCStrings(parameters.keys.sorted().map { parameters[$0] ?? "" }) { values in
        library.connectStartParams(names, values, 0)
      }
    }
    guard let handle else { throw PostgreSQLError(.resources, "There is not enough memory.") }
    let connection = Connection(
      library: library,
      handle: handle,
      deadline: deadline,
      preparesStatements: preparesStatements
    )
    // By default libpq prints notices to the standard error.
    _ = library.setNoticeProcessor(handle, { _, _ in }, nil)
    try connection.establish()
    return connection
  }

  private func establish() throws(PostgreSQLError) {
    var state = LibPQConstant.pollingWriting
    while state != LibPQConstant.pollingOK {
      guard let handle, state != LibPQConstant.pollingFailed, library.socket(handle) >= 0 else {
        let reason = libraryMessage
        close()
        throw PostgreSQLError(.cannotConnect, reason)
      }
      try waitForSocket(Int16(state == LibPQConstant.pollingReading ? POLLIN : POLLOUT))
      state = library.connectPoll(handle)
    }
    guard let handle, library.setnonblocking(handle, 1) == 0 else { throw lost() }
    guard library.serverVersion(handle) >= 140_000 else {
      close()
      throw PostgreSQLError(.cannotConnect, "PostgreSQL 14 or newer is required")
    }
  }

  /// Calls a function with C strings, the last of which is followed by a null pointer.
  private static func withCStrings<Result>(
    _ strings: [String],
    _ body: (LibPQ.CStrings) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}
