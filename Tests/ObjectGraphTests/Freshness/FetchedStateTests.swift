import ComposableStores
import Foundation
import OpenSwiftData
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

/// A SQLite store beside which others save as soon as it has read rows, before the fetch ends.
private final class BusyStore: WrappingStore {
  typealias Snapshot = DefaultSnapshot

  struct Configuration: WrappingConfiguration {
    typealias Store = BusyStore

    var base: SQLiteStoreConfiguration
    let visitor: Visitor
  }

  /// The saves of others that are to come, one after each read.
  final class Visitor: Sendable {
    private let saves = Mutex<[@Sendable () throws -> Void]>([])

    func plan(_ save: @escaping @Sendable () throws -> Void) {
      saves.withLock { $0.append(save) }
    }

    func visit() throws {
      let next = saves.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      try next?()
    }
  }

  let configuration: Configuration
  let base: SQLiteStore

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    base = try SQLiteStore(configuration.base, migrationPlan: migrationPlan)
  }

  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    try base.read(query, body)
    if query.content == .values { try configuration.visitor.visit() }
  }
}

extension BusyStore: HistoryKeeping, HistoryProviding {}

/// A fetch reads one state, whatever others save before it has ended.
@Suite struct `A fetch that others overtake` {
  private let folder: TemporaryFolder
  private let url: URL
  private let visitor = BusyStore.Visitor()
  private let here: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    url = folder.url.appending(path: "farm.db")
    let container = try ModelContainer(
      for: Farmer.self,
      configurations: BusyStore.Configuration(
        base: SQLiteStoreConfiguration(url: url),
        visitor: visitor
      )
    )
    here = ModelContext(container)
  }

  /// Has another container raise the ages of all farmers after the next read.
  private func planVisit() {
    visitor.plan { [url] in
      let container = try ModelContainer(
        for: Farmer.self,
        configurations: SQLiteStoreConfiguration(url: url)
      )
      let there = ModelContext(container)
      for farmer in try there.fetch(FetchDescriptor<Farmer>()) { farmer.age += 1 }
      try there.save()
    }
  }

  private func insert(_ count: Int) throws {
    for number in 0..<count { here.insert(Farmer("\(number)")) }
    try here.save()
  }

  private func ages(_ farmers: [Farmer]) -> Set<Int> { Set(farmers.map(\.age)) }

  /// More objects than are read again at once.
  @Test func `shows the one state that it has read`() throws {
    try insert(2_500)
    planVisit()
    let farmers = try here.fetch(FetchDescriptor<Farmer>())
    #expect(ages(farmers) == [0])
    _ = try here.fetchCount(FetchDescriptor<Farmer>())
    #expect(ages(farmers) == [1])
    planVisit()
    planVisit()
    #expect(ages(try here.fetch(FetchDescriptor<Farmer>())) == [1])
    #expect(ages(try here.fetch(FetchDescriptor<Farmer>())) == [2])
    #expect(ages(try here.fetch(FetchDescriptor<Farmer>())) == [3])
  }

  /// Others, which the fetch does not return, are read again.
  @Test func `leaves objects of other fetches outdated`() throws {
    try insert(2)
    let both = try here.fetch(FetchDescriptor<Farmer>(sortBy: [SortDescriptor(\.name)]))
    planVisit()
    let first = try here.fetch(FetchDescriptor<Farmer>(predicate: #Predicate { $0.name == "0" }))
    #expect(first.first === both[0])
    #expect(both.map(\.age) == [0, 1])
    try here.save()
    #expect(both.map(\.age) == [1, 1])
  }

  @Test(arguments: [true, false])
  func `computes no changes from what it no longer shows`(_ reads: Bool) throws {
    try insert(1)
    here.mergePolicy = .error
    planVisit()
    try here.update(
      model: Farmer.self,
      where: #Predicate { $0.name == "0" },
      set: .set(\.age, to: #Expression { $0.age + 1 })
    )
    if reads { _ = try here.fetch(FetchDescriptor<Farmer>()).map(\.best) }
    let error = #expect(throws: DataStoreError.self) { try here.save() }
    #expect(error == .conflict)
    here.rollback()
    #expect(ages(try here.fetch(FetchDescriptor<Farmer>())) == [1])
  }
}
