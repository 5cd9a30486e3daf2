import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Model final class Account {
  var owner: String
  var balance: Int

  init(_ owner: String, _ balance: Int) {
    self.owner = owner
    self.balance = balance
  }
}

/// Statements that are committed with the save of a context.
@Suite("A save with SQL statements of the program")
struct AccompaniedSaveTests {
  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let context: ModelContext
  private let store: SQLiteStore
  private static let sql = "UPDATE Account SET balance = balance + ? WHERE owner = ?"

  init() throws {
    folder = try TemporaryFolder()
    container = try ModelContainer(for: Account.self, store: "sqlite:\(folder.url.path)/a.db")
    context = ModelContext(container)
    store = try #require(container.stores.first as? SQLiteStore)
    for name in ["a", "b"] { context.insert(Account(name, 100)) }
    try context.save()
  }

  private func account(_ owner: String, in context: ModelContext) throws -> Account {
    let found = try context.fetch(
      FetchDescriptor<Account>(predicate: #Predicate { $0.owner == owner })
    )
    return try #require(found.first)
  }

  private func balances() throws -> [Int] {
    let descriptor = FetchDescriptor<Account>(sortBy: [SortDescriptor(\.owner)])
    return try ModelContext(container).fetch(descriptor).map(\.balance)
  }

  @Test func `stores both, and the statements read what the context wrote`() throws {
    try account("a", in: context).balance -= 30
    context.insert(Account("c", 7))
    let seen = try store.withWritableConnection(during: context.save) { connection in
      try connection.execute(Self.sql, 30, "b")
      try connection.execute(Self.sql, 1, "c")
      return try connection.rows("SELECT balance FROM Account ORDER BY owner")
        .compactMap { $0["balance"]?.integerValue }
    }
    #expect(seen == [70, 130, 8])
    #expect(try balances() == [70, 130, 8])
    #expect(!context.hasChanges)
    #expect(try store.verify() == [])
  }

  @Test func `is one commit with two history transactions`() throws {
    let before = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    try account("a", in: context).balance -= 30
    try store.withWritableConnection(during: context.save) {
      try $0.execute(Self.sql, 30, "b")
    }
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == before + 2)
    #expect(history.suffix(2).map(\.changes.count) == [1, 1])
  }

  @Test func `stores neither if the statements throw, and the context keeps its changes`() throws {
    struct Stop: Error {}
    let first = try account("a", in: context)
    first.balance -= 30
    #expect(throws: Stop.self) {
      try store.withWritableConnection(during: context.save) {
        try $0.execute(Self.sql, 30, "b")
        throw Stop()
      }
    }
    #expect(try balances() == [100, 100])
    #expect(context.hasChanges && first.balance == 70)
    #expect(throws: DataStoreError.invalidValue) {
      try store.withWritableConnection(during: context.save) {
        try $0.execute("INSERT INTO Account(_key, owner, balance) VALUES (1000, 'x', 1)")
      }
    }
    #expect(try balances() == [100, 100])
    try context.save()
    #expect(try balances() == [70, 100])
  }

  @Test func `stores neither if the save fails, even if its error is ignored`() throws {
    struct Stop: Error {}
    var ran = 0
    #expect(throws: Stop.self) {
      try store.withWritableConnection(
        during: { throw Stop() },
        { _ in ran += 1 }
      )
    }
    // A failed save discards the statements, even if its error is ignored.
    try account("a", in: context).balance -= 30
    let error = #expect(throws: DataStoreError.self) {
      try store.withWritableConnection(
        during: { try? context.save() },
        {
          ran += 1
          try $0.execute("DELETE FROM Nothing")
        }
      )
    }
    #expect(error == .notSaved)
    #expect(ran == 1)
    #expect(try balances() == [100, 100])
  }

  @Test func `runs the statements with the first of several saves, or alone if there is none`()
    throws
  {
    let other = ModelContext(container)
    try account("a", in: context).balance = 1
    try account("b", in: other).balance = 2
    var ran = 0
    try store.withWritableConnection(
      during: {
        try context.save()
        try other.save()
      },
      {
        ran += 1
        try $0.execute(Self.sql, 10, "a")
      }
    )
    #expect(ran == 1)
    #expect(try balances() == [11, 2])
    try store.withWritableConnection(during: context.save) { try $0.execute(Self.sql, 10, "a") }
    #expect(try balances() == [21, 2])
  }

  @Test func `does not include the save of a task that it starts`() async throws {
    let container = container
    var ran = 0
    var task: Task<Void, any Error>?
    try store.withWritableConnection(
      during: {
        task = Task {
          let later = ModelContext(container)
          later.insert(Account("c", 9))
          try later.save()
        }
      },
      {
        ran += 1
        try $0.execute(Self.sql, 1, "a")
      }
    )
    try await task?.value
    #expect(ran == 1)
    #expect(try balances() == [101, 100, 9])
  }

  @Test func `counts as a change of another writer`() throws {
    let first = try account("a", in: context)
    first.balance = 50
    try store.withWritableConnection(during: context.save) { try $0.execute(Self.sql, 5, "a") }
    context.mergePolicy = .error
    first.balance = 60
    #expect(throws: (any Error).self) { try context.save() }
    #expect(try balances() == [55, 100])
    context.rollback()
    try context.refreshAll()
    #expect(first.balance == 55)
  }
}
