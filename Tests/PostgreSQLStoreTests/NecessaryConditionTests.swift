import PostgreSQLStore
import PostgreSQLTestSupport
import QueryEvaluation
import SQLTranslation
import StoreProtocol
import Testing

@Suite(
  "Necessary conditions in SQL",
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct NecessaryConditionTests {
  private static let strings = [
    "Hot Spring", "a hot\nspring", "hotspring", "HÔT spring", "sea", "Straße", "STRASSE",
    "\u{FB01}n", "fin", "\u{212A}elvin", "kelvin", "a\u{1}b", "ab", "", "%_\\", "e\u{301}", "x\0y",
  ]

  private static let schema = Schema(
    storeSchema: StoreSchema(entities: [
      StoreEntity(
        name: "Place",
        properties: [
          StoreProperty(name: "notes", kind: .attribute(.string), isOptional: true)
        ]
      )
    ])
  )

  private func withStore(_ body: (PostgreSQLStore) throws -> Void) throws {
    let configuration = try SchemaFixture().makeLocation()
    defer { try? SchemaFixture().destroy(configuration) }
    let store = try SchemaFixture().open(configuration, schema: Self.schema)
    let values = Self.strings.map { StoreValue.string($0) } + [.null]
    let records = values.map { value in
      DefaultSnapshot(
        persistentIdentifier: PersistentIdentifier(
          scope: .init(storeIdentifier: nil, entityName: "Place"),
          key: .temporary(PersistentIdentifier.nextTemporaryNumber())
        ),
        names: PropertyNames(["notes"]),
        values: [value]
      )
    }
    _ = try store.apply(StoreChanges(inserted: records))
    try body(store)
  }

  private static let notes = QueryExpression.unwrap(.property(.element(0), "notes"))

  private static func contains(_ part: String) -> QueryExpression {
    .text(.localizedStandardContains, notes, .constant(.string(part)))
  }

  /// Returns the number of rows that a filter lets SQL read.
  private func read(_ filter: QueryExpression, _ store: PostgreSQLStore) throws -> Int {
    try store.rowsLeftToSwift(StoreQuery(entity: "Place", filter: filter))
  }

  /// Returns the strings that pass a filter.
  private func found(_ filter: QueryExpression, _ store: PostgreSQLStore) throws -> [String] {
    try store.fetch(StoreQuery(entity: "Place", filter: filter)).compactMap {
      if case .string(let text) = $0.values[0] { text } else { nil }
    }
  }

  @Test(arguments: ["hot", "SPRING", "t s", "strasse", "k", "fi", "ab", "%", "_\\", "e", "é", "y"])
  func `a part has the results of the evaluator`(_ part: String) throws {
    try withStore { store in
      let expected = Self.strings.filter { TextComparison.localizedStandardContains($0, part) }
      let result = try found(Self.contains(part), store)
      #expect(result == expected)
      let either = try found(.or([Self.contains(part), Self.contains("sea")]), store)
      #expect(either.contains("sea"))
    }
  }

  @Test(arguments: [
    "hot spring", "\"hot spring\"", "hot*", "sea OR kelvin", "fin -x", "straße", "",
  ])
  func `a search has the results of the evaluator`(_ text: String) throws {
    try withStore { store in
      let search = TextSearch(text)
      let expected = Self.strings.filter(search.isFound)
      let result = try found(.searches(Self.notes, search), store)
      #expect(result == expected)
    }
  }

  @Test func `strings of ASCII that do not match are not read`() throws {
    try withStore { store in
      // The composed form of the Kelvin sign is the letter K.
      let others = Self.strings.map { ExactText.composed($0) }.count { string in
        !string.utf8.allSatisfy { (0x20...0x7E).contains($0) || (0x9...0xD).contains($0) }
      }
      let counts = try [
        Self.contains("nowhere"), Self.contains("SEA"),
        .searches(Self.notes, TextSearch("hot spring")),
        .searches(Self.notes, TextSearch("sea OR kelvin")),
      ].map { try read($0, store) }
      #expect(counts == [others, others + 1, others + 3, others + 3])
    }
  }
}
