import Foundation

@testable import PostgreSQLClient

/// Input from a PostgreSQL server, and addresses that users write to reach it.
enum PostgreSQLTargets {
  static let fieldSeeds: [[UInt8]] = [
    encoded(Decimal(string: "-123456789.00010002") ?? 0), encoded(Decimal.nan), encoded(1.5),
    encoded(Int64.min), encoded("text"), encoded(true),
    arrayBytes([1, nil, -3] as [Int64?]), arrayBytes(["a", nil, ""]),
    arrayBytes([Decimal(1), nil]),
  ]

  static let urlSeeds: [[UInt8]] = [
    "postgres://user:pass%20word@a:1,[::1]:2/db?schema=trips&target_session_attrs=any&prepare=no",
    "postgresql:///db?host=/run/a,/run/b&port=1,2&sslmode=require&order=serial",
  ].map { Array($0.utf8) }

  /// A field that is decoded has the same value after it was encoded and decoded again.
  static func fields(_ bytes: [UInt8]) throws {
    try again(bytes) { (value: Decimal) in value.description }
    try again(bytes) { (value: Double) in value.bitPattern }
    try again(bytes) { (value: Int64) in value }
    try again(bytes) { (value: String) in value }
    try again(bytes) { (value: Bool) in value }
    try again(bytes) { (value: UUID) in value }
    try arrayAgain(bytes, of: Int64.self)
    try arrayAgain(bytes, of: String.self)
    try arrayAgain(bytes, of: Decimal.self)
  }

  /// A URL is read without its password in the description, or refused.
  static func serverURL(_ bytes: [UInt8]) throws {
    do {
      let url = try ConnectionURL(String(decoding: bytes, as: UTF8.self))
      for host in url.configuration.resolvedHosts([:]) {
        let parameters = url.configuration.libraryParameters(
          for: host,
          environment: [:],
          libraryVersion: 160_000
        )
        try FuzzFailure.unless(
          host.isLocal || parameters["sslmode"] != nil,
          "\(host) is reached without TLS"
        )
      }
    } catch let error as PostgreSQLError {
      try FuzzFailure.unless(error.kind == .invalidConfiguration, "\(error)")
    }
  }

  private static func again<Value: PostgreSQLValue>(
    _ bytes: [UInt8],
    _ essence: (Value) -> some Equatable
  ) throws {
    guard let value: Value = decoded(bytes) else { return }
    let next: Value? = decoded(encoded(value))
    try FuzzFailure.unless(
      next.map(essence) == essence(value),
      "\(Value.self): \(value) became \(String(describing: next))"
    )
  }

  private static func arrayAgain<Value: PostgreSQLValue>(
    _ bytes: [UInt8],
    of type: Value.Type
  ) throws {
    guard let values = array(bytes, of: type) else { return }
    let next = array(arrayBytes(values), of: type)
    try FuzzFailure.unless(
      "\(next ?? [])" == "\(values)",
      "\(values) became \(String(describing: next))"
    )
  }

  private static func decoded<Value: PostgreSQLValue>(_ bytes: [UInt8]) -> Value? {
    bytes.withUnsafeBytes { try? Value(field: $0) }
  }

  private static func array<Value: PostgreSQLValue>(
    _ bytes: [UInt8],
    of type: Value.Type
  ) -> [Value?]? {
    bytes.withUnsafeBytes { try? ArrayField.decode($0) }
  }

  private static func arrayBytes<Value: PostgreSQLValue>(_ values: [Value?]) -> [UInt8] {
    Parameter(array: values).bytes ?? []
  }

  private static func encoded(_ value: some PostgreSQLValue) -> [UInt8] {
    var bytes: [UInt8] = []
    value.append(to: &bytes)
    return bytes
  }
}
