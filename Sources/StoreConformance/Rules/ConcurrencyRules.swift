import Dispatch
import Foundation
import StoreProtocol

/// Rules about many threads on one store, and about several handles of one location.
enum ConcurrencyRules {
  static let all: [Rule] = [
    Rule(
      "CONC-001",
      "The rows of concurrent saves of several threads are all stored.",
      manyWriters
    ),
    Rule(
      "CONC-004",
      "Concurrent saves of one unique value create one row.",
      needs: [.uniqueness],
      oneWinner
    ),
    Rule(
      "CONC-010",
      "Opening a second handle throws `storeBusy`, or both handles see all saves.",
      hooks: [.secondHandle],
      secondHandle
    ),
    Rule(
      "CONC-011",
      "A store that declares several processes can be opened twice.",
      needs: [.processes],
      hooks: [.secondHandle],
      processes
    ),
    Rule(
      "CONC-012",
      "A save by another handle makes the old version of a row outdated.",
      needs: [.processes, .versions],
      hooks: [.secondHandle],
      versionsOfBoth
    ),
    Rule(
      "CONC-014",
      "A store that declares several processes detects saves by another handle.",
      needs: [.processes],
      hooks: [.secondHandle],
      since: 2,
      watched
    ),
    Rule(
      "CONC-015",
      "A store that declares several processes and versions notices saves by another handle "
        + "when it reads.",
      needs: [.processes, .versions],
      hooks: [.secondHandle],
      since: 2,
      noticed
    ),
    Rule(
      "CONC-016",
      "A handle whose location was removed and created again throws `storeReplaced`, and changes "
        + "nothing there.",
      needs: [.processes, .durability],
      hooks: [.replacement],
      since: 2,
      replaced
    ),
    Rule(
      "CONC-017",
      "A watch reports every save since the last call, not only the last one.",
      needs: [.processes, .versions],
      hooks: [.secondHandle],
      since: 2,
      watchedTogether
    ),
  ]

  /// Runs a body on threads, and rethrows an error of any of them.
  static func onThreads(
    _ count: Int,
    _ body: @escaping @Sendable (Int) throws -> Void
  ) throws {
    let failures = Shared<(any Error)?>(nil)
    let group = DispatchGroup()
    // All threads begin at once; otherwise the first would end before the last begins.
    let begin = DispatchSemaphore(value: 0)
    for number in 0..<count {
      group.enter()
      // A pool has no more threads than there are processors.
      Thread.detachNewThread {
        defer { group.leave() }
        begin.wait()
        do {
          try body(number)
        } catch {
          failures.withLock { $0 = $0 ?? error }
        }
      }
    }
    for _ in 0..<count { begin.signal() }
    group.wait()
    if let failure = failures.value { throw failure }
  }

  private static func manyWriters(_ bench: StoreBench) throws {
    let store = try bench.store
    let given = Shared<[PersistentIdentifier]>([])
    let saves = bench.settings.count(short: 12, full: 200)
    try onThreads(4) { thread in
      for number in 0..<saves {
        let record = try Sample.record("Person", ["name": .string("\(thread)/\(number)")])
        let result = try store.apply(StoreChanges(inserted: [record]))
        let identifier = try result.identifier(of: record)
        given.withLock { $0.append(identifier) }
      }
    }
    try expect("the assigned identifiers", Set(given.value).count, equals: 4 * saves)
    let expected = (0..<4).flatMap { thread in (0..<saves).map { "\(thread)/\($0)" } }
    try expect("the rows", Set(bench.names(of: "Person")) == Set(expected), "those of all threads")
    let stored = try store.identifiers(StoreQuery(entity: "Person"))
    try expect("their identifiers", stored, equals: given.value.sorted())
  }

  private static func oneWinner(_ bench: StoreBench) throws {
    let store = try bench.store
    let given = Shared<[PersistentIdentifier]>([])
    try onThreads(4) { thread in
      let record = try Sample.record(
        "Person",
        ["name": .string("\(thread)"), "email": .string("one")]
      )
      let identifier = try store.apply(StoreChanges(inserted: [record])).identifier(of: record)
      given.withLock { $0.append(identifier) }
    }
    try expect("the rows that the records became", Set(given.value).count, equals: 1)
    try expect("the rows", bench.names(of: "Person").count, equals: 1)
  }

  private static func secondHandle(_ bench: StoreBench) throws {
    let first = try bench.insert("Person", ["name": .string("Ada")])
    do {
      let other = try bench.secondHandle()
      defer { try? bench.close(other) }
      try expectBothSeeAll(bench, other, first)
    } catch DataStoreError.storeBusy {
      try expect("the rows of the first", bench.names(of: "Person"), equals: ["Ada"])
      try bench.update(first, ["name": .string("Eve")])
      try expect("the rows of the first", bench.names(of: "Person"), equals: ["Eve"])
    }
  }

  private static func expectBothSeeAll(
    _ bench: StoreBench,
    _ other: any RecordStore,
    _ first: PersistentIdentifier
  ) throws {
    let query = StoreQuery(entity: "Person")
    try expect("the result of the second handle", other.identifiers(query), equals: [first])
    try expect("the count of the second handle", other.count(query), equals: 1)
    try expect("the count of the first handle", bench.store.count(query), equals: 1)
    let record = try Sample.record("Person", ["name": .string("Bob")])
    let second = try other.apply(StoreChanges(inserted: [record])).identifier(of: record)
    try bench.expectRows("of the first handle", query, equal: [first, second])
    try bench.update(second, ["name": .string("Bea")])
    let name = try other.fetch(.rows([second], of: "Person")).first?["name"]
    try expect("the rows of the second handle", name, equals: .string("Bea"))
    let third = try bench.insert("Person", ["name": .string("Cid")])
    try expect("the identifiers", Set([first, second, third]).count, equals: 3)
    _ = try other.apply(StoreChanges(deleted: [first]))
    try bench.expectRows("of the first handle", query, equal: [second, third])
    try expect("the count of the second handle", other.count(query), equals: 2)
  }

  private static func processes(_ bench: StoreBench) throws {
    let first = try bench.insert("Person", ["name": .string("Ada")])
    let other = try bench.secondHandle()
    defer { try? bench.close(other) }
    try expectBothSeeAll(bench, other, first)
  }

  private static func watched(_ bench: StoreBench) throws {
    let watch = try bench.store.watch()
    try expect("that the store has a watch", watch != nil, equals: true)
    let other = try bench.secondHandle()
    defer { try? bench.close(other) }
    _ = try watch?.newSaves()
    _ = try other.apply(
      StoreChanges(inserted: [Sample.record("Person", ["name": .string("Ada")])])
    )
    try expect("that the watch noticed a save", watch?.newSaves() != nil, equals: true)
    try expect("that nothing was saved since", watch?.newSaves() == nil, equals: true)
  }

  private static func watchedTogether(_ bench: StoreBench) throws {
    let watch = try bench.store.watch()
    let other = try bench.secondHandle()
    defer { try? bench.close(other) }
    _ = try watch?.newSaves()
    let saves = try ["Ada", "Bob", "Cid"].map { name in
      let record = try Sample.record("Person", ["name": .string(name)])
      return try other.apply(StoreChanges(inserted: [record])).version
    }
    let found = try watch?.newSaves()
    let missing = saves.filter { found?.contains($0) != true }
    try expect("the saves that \(found.map { "\($0)" } ?? "nil") lacks", missing, equals: [])
  }

  private static func noticed(_ bench: StoreBench) throws {
    let store = try bench.store
    func expectLatest(_ save: Int64) throws {
      try store.read(StoreQuery(entity: "Person")) { _ in }
      let latest = store.latestSave ?? 0
      try expect("the latest save", latest, >=, save, "at least \(save)")
    }
    let record = try Sample.record("Person", ["name": .string("Ada")])
    try expectLatest(store.apply(StoreChanges(inserted: [record])).version)
    let other = try bench.secondHandle()
    defer { try? bench.close(other) }
    let second = try Sample.record("Person", ["name": .string("Bob")])
    let result = try other.apply(StoreChanges(inserted: [second]))
    try expectLatest(result.version)
    let identifier = try result.identifier(of: second)
    try expectLatest(other.apply(StoreChanges(deleted: [identifier])).version)
  }

  private static func replaced(_ bench: StoreBench) throws {
    let store = try bench.store
    let row = try bench.insert("Person", ["name": .string("Ada")])
    let other = try bench.replacement()
    defer { try? bench.close(other) }
    let record = try Sample.record("Person", ["name": .string("Bob")])
    let stranger = try other.apply(StoreChanges(inserted: [record])).identifier(of: record)
    let people = StoreQuery(entity: "Person")
    try expect("a fetch from a store that was removed", throws: .storeReplaced) {
      _ = try store.fetch(people)
    }
    for changes in [
      StoreChanges(updated: [try Sample.update(row, ["name": .string("Eve")])]),
      StoreChanges(inserted: [try Sample.record("Person", ["name": .string("Eve")])]),
      StoreChanges(deleted: [row]),
    ] {
      try expect("a save to a store that was removed", throws: .storeReplaced) {
        _ = try store.apply(changes)
      }
    }
    let found = try other.fetch(people)
    try expect("the rows of the other", found.map(\.persistentIdentifier), equals: [stranger])
    try expect("their names", found.map { $0["name"] }, equals: [.string("Bob")])
  }

  private static func versionsOfBoth(_ bench: StoreBench) throws {
    let row = try bench.insert("Person", ["name": .string("Ada")])
    let version = try bench.version(of: row)
    let other = try bench.secondHandle()
    defer { try? bench.close(other) }
    let update = try Sample.update(row, ["name": .string("Bob")])
    _ = try other.apply(StoreChanges(updated: [update]))
    try expect("a save at the old version", throws: .conflict) {
      try bench.save(
        updating: [Sample.update(row, ["name": .string("Eve")])],
        expecting: [row: version]
      )
    }
    try expect("the name", bench.value("name", of: row), equals: .string("Bob"))
  }
}
