import Foundation
import Testing

@testable import PostgreSQLClient

@Suite("URLs of PostgreSQL")
struct ConnectionURLTests {
  @Test
  func `the parts of a URL are decoded`() throws {
    let url = try ConnectionURL(
      "postgresql://zo%C3%AB:p%40ss@db.example.org:5433/main?schema=trips&target_session_attrs=read-write"
        + "&sslrootcert=%2Fetc%2Fca.pem&prepare=no&order=serial"
    )
    let configuration = url.configuration
    #expect(configuration.user == "zoë")
    #expect(configuration.hosts == [.init(name: "db.example.org", port: 5433)])
    #expect(configuration.database == "main")
    #expect(configuration.password?.value == "p@ss")
    #expect(configuration.targetSession == .readWrite)
    #expect(configuration.parameters == ["sslrootcert": "/etc/ca.pem"])
    #expect(!configuration.preparesStatements)
    #expect(url.schema == "trips")
    #expect(url.others == ["order": "serial"])
  }

  @Test(
    arguments: [
      ("postgres://", []),
      ("postgres:///db", []),
      ("postgres://a,b:2,[::1]:3/db", [("a", nil), ("b", 2), ("::1", 3)]),
      ("postgres://%2Frun%2Fpg:6/db", [("/run/pg", 6)]),
      ("postgres:///db?host=/run/a,/run/b&port=1,2", [("/run/a", 1), ("/run/b", 2)]),
      ("postgres:///db?port=7&host=/run/a", [("/run/a", 7)]),
    ] as [(String, [(String, UInt16?)])]
  )
  func `hosts and ports are parsed`(_ url: String, _ hosts: [(String, UInt16?)]) throws {
    let found = try ConnectionURL(url).configuration.hosts
    #expect(found == hosts.map { ConnectionConfiguration.Host(name: $0.0, port: $0.1) })
  }

  @Test(arguments: [
    "mysql://h/db", "postgres:db", "postgres://h:x/db", "postgres://h:0/db",
    "postgres://h:65536/db",
    "postgres://[::1/db", "postgres://[::1]5/db", "postgres://h/db?schema=",
    "postgres://h/db?schema",
    "postgres://h/db?options=-c%20x", "postgres://h/db?target_session_attrs=maybe",
    "postgres://h/db?schema=a&schema=b", "postgres://h/db?prepare=2", "postgres://h/%00",
    "postgres://a,b/db?port=1,2,3", "postgres://a/db?host=b", "postgres://h:+5/db",
  ])
  func `an invalid URL is an error`(_ url: String) {
    let error = #expect(throws: PostgreSQLError.self) { try ConnectionURL(url) }
    #expect(error?.kind == .invalidConfiguration)
  }

  @Test(arguments: [
    "postgres://u:pw%zzsecret@h/db", "postgres://u:a/secret@h/db", "postgres://u:a?secret@h/db",
    "postgres://u:1?secret=1&secret=1@h/db", "postgres://u:12/secret@h",
    "postgres://u:secret@h:x/db",
    "postgres://u:secret@h/db?password=secret%zz", "secret",
  ])
  func `an error contains no part of a password`(_ url: String) {
    let error = #expect(throws: PostgreSQLError.self) { try ConnectionURL(url) }
    #expect(error.map { "\($0)".contains("secret") } == false)
  }

  @Test
  func `descriptions, dumps and mirrors contain no password`() throws {
    let url = try ConnectionURL("postgres://u:secret@h:5/db?password=secret")
    #expect(url.configuration.description == "postgres://u@h:5/db")
    var dumped = "\(url) \(String(reflecting: url))"
    dump(url, to: &dumped)
    #expect(!dumped.contains("secret"))
    #expect(dumped.contains("•••"))
  }
}

@Suite("Connection configurations")
struct ConnectionConfigurationTests {
  private func parameters(
    _ url: String,
    _ environment: [String: String] = [:],
    library: Int32 = 150_000
  ) throws -> [String: String] {
    let configuration = try ConnectionURL(url).configuration
    let host = try #require(configuration.resolvedHosts(environment).first)
    return configuration.libraryParameters(
      for: host,
      environment: environment,
      libraryVersion: library
    )
  }

  @Test(
    arguments: [
      ("postgres://db.example.org/x", [:], "verify-full"),
      ("postgres://10.0.0.1/x", [:], "verify-full"),
      ("postgres://127.evil.example/x", [:], "verify-full"),
      ("postgres://localhost/x?hostaddr=10.0.0.1", [:], "verify-full"),
      ("postgres:///x?service=main", [:], "verify-full"),
      ("postgres:///x", ["PGSERVICE": "main"], "verify-full"),
      ("postgres:///x", ["PGHOST": "db.example.org"], "verify-full"),
      ("postgres://localhost/x", ["PGHOSTADDR": "10.0.0.1"], "verify-full"),
      ("postgres://localhost/x", [:], nil),
      ("postgres://127.0.0.1/x", [:], nil),
      ("postgres://[::1]/x", [:], nil),
      ("postgres:///x?host=/run/postgresql", [:], nil),
      ("postgres:///x", [:], nil),
      ("postgres:///x", ["PGHOST": "/run/postgresql"], nil),
      ("postgres://db.example.org/x?sslmode=require", [:], "require"),
      ("postgres://db.example.org/x", ["PGSSLMODE": "disable"], nil),
    ] as [(String, [String: String], String?)]
  )
  func `certificates are verified unless the host is local or a setting says otherwise`(
    _ url: String,
    _ environment: [String: String],
    _ mode: String?
  ) throws {
    #expect(try parameters(url, environment)["sslmode"] == mode)
  }

  @Test
  func `the system's certificates are used with libpq 16 or later`() throws {
    let url = "postgres://db.example.org/x"
    #expect(try parameters(url)["sslrootcert"] == nil)
    #expect(try parameters(url, library: 160_000)["sslrootcert"] == "system")
    let environment = ["PGSSLROOTCERT": "/etc/ca.pem"]
    #expect(try parameters(url, environment, library: 160_000)["sslrootcert"] == nil)
  }

  @Test
  func `hosts and ports come from the environment if the URL has none`() throws {
    let configuration = try ConnectionURL("postgres:///x").configuration
    #expect(
      configuration.resolvedHosts(["PGHOST": "a,b", "PGPORT": "1,2"])
        == [.init(name: "a", port: 1), .init(name: "b", port: 2)]
    )
    #expect(
      configuration.resolvedHosts(["PGHOST": "a,b", "PGPORT": "1"])
        == [.init(name: "a", port: 1), .init(name: "b", port: 1)]
    )
    #expect(configuration.resolvedHosts(["PGPORT": "1"]) == [.init()])
  }

  @Test
  func `connections use UTF-8, have a name and detect a lost server`() throws {
    let found = try parameters("postgres://localhost/x?keepalives_idle=5")
    #expect(found["client_encoding"] == "UTF8")
    #expect(found["application_name"] == "OpenSwiftData")
    #expect(found["keepalives_idle"] == "5")
    #expect(found["tcp_user_timeout"] == "30000")
    #expect(try parameters("postgres:///x", ["PGAPPNAME": "t"])["application_name"] == "t")
  }
}
