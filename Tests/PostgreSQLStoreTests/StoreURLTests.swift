import Foundation
import OpenSwiftData
import PostgreSQLTestSupport
import Testing

@Suite struct `URLs of PostgreSQL stores` {
  @Test(arguments: ["postgres", "postgresql"])
  func `a URL creates the configuration, whose name has no password`(
    _ scheme: String
  ) throws {
    let url = "\(scheme)://ann:se%2Fcret@db.example:5433/trips?schema=a&history=values&timeout=7"
    let configuration = try #require(
      try StoreScheme.configuration(for: url) as? PostgreSQLStoreConfiguration
    )
    #expect(configuration.name == "postgres://ann@db.example:5433/trips?schema=a")
    #expect(configuration.timeout == .seconds(7))
    #expect(try StoreURL(url).path == "db.example:5433/trips")
  }

  @Test(arguments: [
    "postgres://ann:se?cret@host/db?schema=a", "postgres://ann:secret@host/db?schema",
    "postgres://ann:secret@host/db?schema=a&color=red", "postgres://ann:secret@host/db",
    "postgres://host/db?schema=a&ddlURL=postgres%3A%2F%2Fann%3Asecret%40host%2Fdb%3Fschema%3Da",
    "postgres://host/db?schema=a&ddlURL=ann%3Asecret%40host",
  ])
  func `errors contain no password`(_ url: String) throws {
    let error = #expect(throws: DataStoreError.self) { try StoreScheme.configuration(for: url) }
    #expect(error == .invalidConfiguration)
    #expect(try !#require(error).message.contains("cret"))
  }

  @Test func `a ddlURL that is not percent-encoded is named`() throws {
    let url = "postgres://host/db?schema=a&ddlURL=postgres://ann:secret@coordinator/db"
    for open in [
      { try StoreScheme.configuration(for: $0) }, { try PostgreSQLStoreConfiguration(url: $0) },
    ] as [(String) throws -> Any] {
      let error = #expect(throws: DataStoreError.self) { try open(url) }
      let message = try #require(error).message
      #expect(message.contains("ddlURL names is not percent-encoded"))
      #expect(!message.contains("password") && !message.contains("secret"))
    }
  }

  @Test(
    .enabled(
      if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
      "no PostgreSQL server is installed"
    )
  )
  func `a URL of no store is an error that says so, if there are no models`() throws {
    let folder = try PrivateCluster.shared().folder.path
    let url = "postgres://tester@/postgres?host=\(folder)&schema=misspelt"
    let error = #expect(throws: DataStoreError.self) {
      try PostgreSQLStore(PostgreSQLStoreConfiguration(url: url))
    }
    #expect(error == .invalidConfiguration)
    #expect(error?.message.contains("the store does not exist; correct the URL") == true)
  }

  @Test(
    .enabled(
      if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
      "no PostgreSQL server is installed"
    )
  )
  func `a container is copied to the store of a URL unchanged`() throws {
    let folder = try PrivateCluster.shared().folder.path
    let url = "postgres://tester@/postgres?host=\(folder)&schema=copied"
    defer {
      if let configuration = try? StoreScheme.configuration(for: url)
        as? PostgreSQLStoreConfiguration
      {
        try? SchemaFixture().destroy(configuration)
      }
    }
    let origin = try ModelContainer(for: Harbor.self, Ferry.self, store: "memory:")
    let context = ModelContext(origin)
    let harbor = Harbor(name: "Kie\u{0301}l")
    context.insert(harbor)
    for length in [30.5, -0.0, .nan] {
      let ferry = Ferry(length: length)
      context.insert(ferry)
      ferry.harbor = harbor
    }
    try context.save()
    let copy = try ModelContainer(for: Harbor.self, Ferry.self, store: url)
    #expect(try origin.copy(to: copy).total == 4)
    let found = try ModelContext(copy).fetch(FetchDescriptor<Harbor>())
    #expect(found.map { Array($0.name.unicodeScalars) } == [Array("Kie\u{0301}l".unicodeScalars)])
    #expect(found.first?.ferries.count == 3)
  }
}
