import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Many contexts on many threads")
struct ManyContextsThreadTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `leave a consistent graph`(_ store: EveryStore) throws {
    let contexts = try BookContexts(store)
    let container = contexts.here.container
    try onThreads(4) { number in
      var worker = BookWorker(container, number: number)
      for _ in 0..<24 { try worker.work() }
    }
    let reader = ModelContext(container)
    for page in try reader.all(LifePage.self) {
      #expect(page.book.map { $0.pages.contains(page) } ?? true)
    }
    for book in try reader.all(LifeBook.self) {
      #expect(!book.author.isDeleted)
      #expect(book.pages.allSatisfy { $0.book === book })
    }
    #expect(!reader.hasChanges)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `never see half of another context's save`(_ store: EveryStore) throws {
    let contexts = try BookContexts(store, with: nil)
    let container = contexts.here.container
    contexts.here.insert(LifeBook.full("0"))
    contexts.here.insert(LifeBook.full("0"))
    try contexts.here.save()
    try onThreads(4) { number in
      let context = ModelContext(container)
      for turn in 1...15 {
        let books = try context.all(LifeBook.self)
        #expect(Set(books.map(\.title)).count == 1)
        guard number == 0 else { continue }
        for book in books { book.title = "\(turn)" }
        try context.save()
      }
    }
    #expect(try ModelContext(container).all(LifeBook.self).map(\.title) == ["15", "15"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `can load the relationships of the same rows at once`(_ store: EveryStore) throws {
    let contexts = try BookContexts(store, with: nil)
    for number in 0..<20 { contexts.here.insert(LifeBook.full("\(number)")) }
    try contexts.here.save()
    let container = contexts.here.container
    try onThreads(6) { _ in
      let books = try ModelContext(container).all(LifeBook.self)
      #expect(books.count == 20)
      for book in books { #expect(book.everything.count == 8) }
    }
  }
}

/// A thread that changes the books of a store at random.
private struct BookWorker {
  private let context: ModelContext
  private var random: SeededGenerator
  private static let policies: [MergePolicy] = [
    .mergeByProperty, .contextWins, .storeWins, .error, .resolve { _ in .mine },
  ]

  init(_ container: ModelContainer, number: Int) {
    context = ModelContext(container)
    random = SeededGenerator(seed: UInt64(number))
    context.mergePolicy = Self.policies[number % Self.policies.count]
  }

  /// Makes a change and saves it, or discards it if another save conflicts.
  mutating func work() throws {
    try change()
    do {
      try context.save()
    } catch DataStoreError.conflict {
      if Bool.random(using: &random) { try context.refreshAll() } else { context.rollback() }
    }
  }

  private mutating func change() throws {
    let books = try context.all(LifeBook.self)
    guard let book = books.randomElement(using: &random), books.count < 8 else {
      for book in books { context.delete(book) }
      return context.insert(LifeBook.full("new"))
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: context.insert(LifeBook.full("new"))
    case 1: context.delete(book)
    case 2: book.setEverything("set")
    case 3: book.pages = try context.all(LifePage.self).shuffled(using: &random)
    case 4: _ = books.map(\.everything)
    case 5: _ = try context.refresh(book, mergeChanges: Bool.random(using: &random))
    case 6: context.reset()
    default: book.title += "."
    }
  }
}
