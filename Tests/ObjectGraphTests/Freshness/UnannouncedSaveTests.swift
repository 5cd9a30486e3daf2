import ComposableStores
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

/// Calls a function after the first request that follows a save, and that the saving context makes
/// before it announces the save.
private final class SaveVisitor: RequestInterceptor {
  private struct State {
    var visit: (@Sendable () throws -> Void)?
    var hasSaved = false
  }

  private let state = Mutex(State())

  /// Whether the function has not been called yet.
  var isPlanned: Bool { state.withLock { $0.visit != nil } }

  func plan(_ visit: @escaping @Sendable () throws -> Void) {
    state.withLock { $0 = State(visit: visit) }
  }

  func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    let value = try body().value
    let visit = state.withLock { state -> (@Sendable () throws -> Void)? in
      if case .save = request {
        state.hasSaved = true
        return nil
      }
      guard state.hasSaved else { return nil }
      defer { state = State() }
      return state.visit
    }
    try visit?()
    return value
  }
}

/// A store has a save, and other contexts read it, some time before its context has adopted and
/// announced it.
@Suite struct `A save that is not announced yet` {
  private let folder: TemporaryFolder
  private let visitor = SaveVisitor()

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [EveryStore.memory, .json, .sqlite])
  func `is in all objects of a fetch that reads it`(_ store: EveryStore) throws {
    switch store {
    case .json: try check(JSONFileStoreConfiguration(url: folder.file("store.json")))
    case .sqlite: try check(SQLiteStoreConfiguration(url: folder.file("store.db")))
    default: try check(MemoryStoreConfiguration())
    }
  }

  private func check<Base: DataStoreConfiguration>(_ base: Base) throws
  where Base.Store: RecordStore {
    let container = try ModelContainer(
      for: FarmSite.schema,
      configurations: InterceptedStoreConfiguration(base, visitor)
    )
    nonisolated(unsafe) let here = ModelContext(container)
    let there = ModelContext(container)
    nonisolated(unsafe) let farmer = Farmer("Ada")
    let old = Animal(1)
    here.insert(farmer)
    here.insert(old)
    try here.save()
    #expect(farmer.animals.isEmpty)
    // A new object with a unique value of a stored one, whose row is read after the save.
    let again = Farmer("Ada")
    again.age = 7
    let animal = Animal(2)
    animal.farmer = again
    there.insert(again)
    there.insert(animal)
    there.delete(try #require(try there.all(Animal.self).first))
    visitor.plan {
      let fetched = try here.all(Farmer.self)
      #expect(fetched.first === farmer)
      #expect(farmer.age == 7 && farmer.animals.map(\.weight) == [2])
    }
    try there.save()
    #expect(!visitor.isPlanned)
    // The announcement has the rows that the save removed.
    #expect(try here.all(Farmer.self).count == 1)
    #expect(old.modelContext == nil)
  }
}
