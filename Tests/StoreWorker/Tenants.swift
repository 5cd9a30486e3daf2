import Foundation
import OpenSwiftData
import Synchronization

/// The command `tenants`: random saves to many stores of a PostgreSQL database, each logged.
///
///     I name number     an item is about to be saved
///     A name number     its save is acknowledged
///     N name code …     a store could not be opened, or a save failed
///     M count bytes     how many stores have been used, and the resident memory
struct Tenants {
  static let usage = """
    storeworker tenants URL STORES create|check
    storeworker tenants URL STORES save SEED SECONDS [LIMIT]   LIMIT is how many stores stay open
    """

  /// The most connections of a process to the database.
  static let connectionLimit = 4
  private static let threads = 8

  private let database: PostgreSQLDatabase
  private let schema: Schema
  private let names: [String]

  init(_ url: String, count: Int) throws {
    schema = Schema([Narrow.Item.self, Narrow.Box.self])
    database = try PostgreSQLDatabase(
      url: url,
      schema: schema,
      connectionLimit: Self.connectionLimit
    )
    names = (0..<count).map { "tenant\($0)" }
  }

  func callAsFunction(_ arguments: ArraySlice<String>) throws {
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    switch (arguments.first, numbers.count) {
    case ("create", 0): try create()
    case ("check", 0): try check()
    case ("save", 2...3):
      save(seed: numbers[0], seconds: numbers[1], limit: numbers.dropFirst(2).first)
    default: throw WorkerError.usage("the arguments are not understood")
    }
  }

  private func create() throws {
    let failure = Mutex<(any Error)?>(nil)
    Self.onThreads(Self.connectionLimit) { thread in
      for index in stride(from: thread, to: names.count, by: Self.connectionLimit) {
        do {
          try database.createStore(named: names[index])
        } catch {
          failure.withLock { $0 = error }
          return
        }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    Output.line("OK")
  }

  /// Prints the numbers of each store's items and how many transactions its history has.
  private func check() throws {
    for name in names {
      let container = try ModelContainer(
        for: schema,
        configurations: [database.configuration(ofStore: name)]
      )
      let context = ModelContext(container)
      let numbers = try context.fetch(FetchDescriptor<Narrow.Item>()).map { String($0.number) }
      let saves = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
      Output.line("S \(name) \(saves) \(numbers.joined(separator: " "))")
    }
    Output.line("OK")
  }

  private func save(seed: Int, seconds: Int, limit: Int?) {
    let stores = ModelContainerCache(for: schema, limit: limit ?? names.count) {
      try database.configuration(ofStore: $0)
    }
    let end = ContinuousClock.now + .seconds(seconds)
    let used = Mutex<Set<String>>([])
    Self.onThreads(Self.threads) { thread in
      var source = Numbers(seed: UInt64(seed * Self.threads + thread))
      // No other thread of any process has a number of this one.
      var number = (seed * Self.threads + thread) << 32
      while ContinuousClock.now < end {
        let name = names[source.next(below: names.count)]
        number += 1
        do {
          let context = ModelContext(try stores.container(named: name))
          context.insert(Narrow.Item(number: number))
          Output.line("I \(name) \(number)")
          try context.save()
          Output.line("A \(name) \(number)")
        } catch {
          Output.line("N \(name) \(error.word) \(error.sentence.prefix(300))")
        }
        let count = used.withLock { used in
          used.insert(name)
          return used.count
        }
        if thread == 0, number.isMultiple(of: 50) {
          Output.line("M \(count) \(Self.residentBytes)")
        }
      }
    }
    Output.line("M \(used.withLock { $0.count }) \(Self.residentBytes)")
  }

  private static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      Thread.detachNewThread {
        body(number)
        group.leave()
      }
    }
    group.wait()
  }

  private static var residentBytes: Int {
    let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      .split(separator: " ")
    return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4096
  }
}
