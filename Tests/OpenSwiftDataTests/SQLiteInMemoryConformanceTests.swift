import OpenSwiftData
import StoreConformance
import Testing

@Suite struct `SQLiteStore in memory keeps the store contract` {
  struct Fixture: StoreFixture {
    func makePlace() {}

    func open(_ place: Void, schema: Schema?) throws -> SQLiteStore {
      try SQLiteStore(.inMemory(schema: schema), migrationPlan: nil)
    }

    func destroy(_ place: Void) {}
  }

  static let run = ConformanceRun(
    Fixture(),
    knownFailures: [
      "UNIQUE-109": "the index of a constraint finds two NaN equal (SQLiteFormat.md)",
      "UNIQUE-110": "the index of a constraint finds two NaN equal (SQLiteFormat.md)",
    ]
  )

  @Test(arguments: try run.rules)
  func keeps(_ rule: Rule) throws { try Self.run.check(rule) }
}
