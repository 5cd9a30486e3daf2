import Foundation
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreConformance
import StoreProtocol
import Testing

/// The suite on stores of a URL, as `storectl conformance` runs it, and the indexes of schemas.
@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `PostgreSQL stores by URL` {
  private func schemas(_ pattern: String) throws -> [String] {
    let result = try PrivateCluster.shared().connect().run(
      Statement(
        "SELECT nspname::text FROM pg_namespace WHERE nspname LIKE $1",
        [Parameter(pattern)]
      )
    )
    return try (0..<result.rowCount).compactMap { try result.value($0, 0) }
  }

  @Test func `the suite creates schemas beside the URL's schema, and removes them`() throws {
    let folder = try PrivateCluster.shared().folder.path
    let url =
      "postgres:///postgres?host=\(folder)&port=\(PrivateCluster.port)&user=tester&schema=kept"
    var location = try PostgreSQLStoreConfiguration(url: url)
    location.schema = Schema(
      storeSchema: StoreSchema(entities: [StoreEntity(name: "Trip", properties: [])])
    )
    let kept = try PostgreSQLStore(location)
    let run = try ConformanceRun(
      storesLike: url,
      makeConfiguration: { try PostgreSQLStoreConfiguration(url: $0) },
      removeStore: { configuration in
        let location = try #require(configuration as? PostgreSQLStoreConfiguration)
        #expect(location.databaseSchema.hasPrefix("kept~"))
        try PostgreSQLStore.remove(location)
      }
    )
    let report = try run.report { ["LIFE-001", "IDENT-001"].contains($0.id) }
    #expect(report.isConforming, "\(report.text)")
    #expect(report.text.contains("2 passed"), "\(report.text)")
    #expect(try schemas("kept%") == ["kept"])
    #expect(try kept.count(StoreQuery(entity: "Trip")) == 0)
    try PostgreSQLStore.remove(location)
    #expect(try schemas("kept%").isEmpty)
  }

  @Test func `the indexes of a schema exist on the server, and accept values of any length`() throws
  {
    let names: [(String, AttributeType)] = [
      ("text", .string), ("data", .data), ("number", .int64), ("date", .date), ("list", .codable),
    ]
    let schema = Schema(
      storeSchema: StoreSchema(entities: [
        StoreEntity(
          name: "Trip",
          properties: names.map {
            StoreProperty(name: $0.0, kind: .attribute($0.1), isOptional: true)
          },
          indices: [
            ["text"], ["data"], ["number", "date"], ["date", "text", "number"], ["list"],
            ["number", "date"],
          ]
        )
      ])
    )
    let location = try SchemaFixture().makeLocation()
    let store = try SchemaFixture().open(location, schema: schema)
    let result = try PrivateCluster.shared().connect().run(
      Statement(
        """
        SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND tablename = 'Trip'
        """,
        [Parameter(location.databaseSchema)]
      )
    )
    let definitions = try (0..<result.rowCount).compactMap {
      try result.value($0, 0, as: String.self)?.components(separatedBy: " USING ").last
    }
    #expect(
      definitions.sorted() == [
        "btree (_key)", "btree (date)", "btree (number, date)", "hash (data)", "spgist (text)",
      ]
    )
    // Random bytes cannot be compressed.
    var source = SystemRandomNumberGenerator()
    let bytes = (0..<9_000).map { _ in UInt8.random(in: 33...126, using: &source) }
    let long = String(decoding: bytes, as: UTF8.self)
    let record = DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "Trip"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      names: PropertyNames(names.map(\.0)),
      values: [.string(long), .data(Data(bytes)), .integer(1), .null, .null]
    )
    _ = try store.apply(StoreChanges(inserted: [record]))
    let filter = QueryExpression.compare(
      .equal,
      .property(.element(0), "text"),
      .constant(.string(long))
    )
    #expect(try store.count(StoreQuery(entity: "Trip", filter: filter)) == 1)
    try SchemaFixture().destroy(location)
  }
}
