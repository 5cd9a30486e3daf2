import ColumnStore
import StoreConformance
import StoreProtocol
import Testing

struct ColumnFixture: StoreFixture {
  let hooks: Set<FixtureHook> = [.secondHandle]

  func makeLocation() throws -> ColumnConfiguration { ColumnConfiguration() }

  func open(_ location: ColumnConfiguration, schema: Schema?) throws -> ColumnStore {
    var configuration = location
    configuration.schema = schema
    return try ColumnStore(configuration)
  }

  func destroy(_ location: ColumnConfiguration) throws {}
}

@Suite struct `A store of columns keeps the store contract` {
  static let run = ConformanceRun(ColumnFixture())

  @Test(arguments: try Self.run.rules)
  func keeps(_ rule: Rule) throws { try Self.run.check(rule) }

  @Test func `supports direct reading and writing of rows`() throws {
    let tried = try Self.run.rules.filter { $0.chapter.id == "DIRECT" }
    #expect(tried.count == 5)
  }
}
