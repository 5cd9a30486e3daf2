import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

@Suite("Saves that are committed together", .timeLimit(.minutes(30)))
struct GroupedSaveTests {
  @Test func `are durable with one sync, with numbers in the order of their arrival`() throws {
    let sample = try GroupSample(waiting: 63)
    let saves = (0..<64).map { sample.newItem("\($0)") }
    let results = sample.run(64) { index in
      let result = try sample.store.apply(saves[index])
      // Each save returns after the sync.
      #expect(sample.logSyncs == 1)
      return result
    }
    let versions = try results.map { try $0.get().version }
    #expect(versions == (0..<64).map { Int64($0) + 2 })
    #expect(Set(try results.flatMap { try $0.get().firstKeys }).count == 64)
    #expect(sample.logSyncs == 1)
    #expect(try sample.titlesAfterKill() == ["before"] + (0..<64).map(String.init))
    let history = try sample.store.transactions(StoreHistoryQuery())
    #expect(history.map(\.number) == Array(1...65))
    #expect(history.allSatisfy { $0.changes.count == 1 })
  }

  @Test func `report their statements to the observers of their own requests`() throws {
    let sample = try GroupSample(waiting: 3)
    let observed = Mutex<[[String]]>([[], [], [], []])
    let saves = (0..<4).map { sample.newItem("\($0)") }
    let results = sample.run(4) { index in
      let observer = StatementObserver { sql in
        observed.withLock { $0[index].append(sql) }
        return { _ in }
      }
      return try StatementObserver.observing(index == 2 ? nil : observer) {
        try sample.store.apply(saves[index])
      }
    }
    for result in results { _ = try result.get() }
    let insertions = observed.withLock { statements in
      statements.map { $0.count { $0.hasPrefix("INSERT INTO") && $0.contains("Item") } }
    }
    #expect(insertions == [1, 1, 0, 1])
    func counts(_ word: String) -> [Int] {
      observed.withLock { $0.map { $0.count { $0.hasPrefix(word) } } }
    }
    #expect(counts("COMMIT") == [1, 0, 0, 0])
    #expect(counts("SAVEPOINT") == [0, 1, 0, 1])
    #expect(counts("RELEASE") == [0, 1, 0, 1])
  }

  @Test func `are durable with a sync each if they come one after the other`() throws {
    let sample = try GroupSample(waiting: 0)
    for number in 0..<3 { _ = try sample.store.apply(sample.newItem("\(number)")) }
    #expect(sample.logSyncs == 3)
  }

  @Test func `are of no effect before the commit, for readers and after a kill`() throws {
    let sample = try GroupSample(waiting: 2)
    let last = sample.newItem("3") {
      #expect((try? sample.titlesAfterKill()) == ["before"])
      #expect((try? sample.titles(sample.store)) == ["before"])
      #expect(sample.store.latestSave == 1)
    }
    let results = sample.save([sample.newItem("1"), sample.newItem("2"), last])
    #expect(try results.map { try $0.get().version } == [2, 3, 4])
    #expect(try sample.titles(sample.store) == ["before", "1", "2", "3"])
    #expect(sample.store.latestSave == 4)
  }

  @Test func `leave each other alone if one fails`() throws {
    let sample = try GroupSample(waiting: 4)
    let stale = StoreChanges(
      updated: [.change(sample.item, SampleSchema.item, ["title": .string("stale")])],
      expectedVersions: [sample.item: 7]
    )
    let unsaved = DefaultSnapshot.new(SampleSchema.trip)
    let dangling = StoreChanges(
      inserted: [
        .new(SampleSchema.item, ["title": .string("dangling")]),
        .new(SampleSchema.trip, ["next": .identifier(unsaved.persistentIdentifier)]),
      ]
    )
    let results = sample.save([
      sample.newItem("1"), stale, sample.newItem("2"), dangling, sample.newItem("3"),
    ])
    #expect(results.map { try? $0.get().version } == [2, nil, 3, nil, 4])
    #expect(throws: DataStoreError.conflict) { try results[1].get() }
    #expect(throws: DataStoreError.invalidValue) { try results[3].get() }
    #expect(sample.logSyncs == 1)
    #expect(try sample.titlesAfterKill() == ["before", "1", "2", "3"])
    #expect(sample.store.latestSave == 4)
    #expect(try sample.store.verify().isEmpty)
  }

  @Test func `see those before them`() throws {
    let sample = try GroupSample(waiting: 2)
    func newTrip(days: Int64) -> DefaultSnapshot {
      let start = StoreValue.date(Date(timeIntervalSinceReferenceDate: 0))
      let values = ["name": .string("a"), "start": start, "days": .integer(days)]
      return .new(SampleSchema.trip, values)
    }
    let (trip, same) = (newTrip(days: 1), newTrip(days: 2))
    let results = try sample.save([
      sample.newItem("1"), StoreChanges(inserted: [trip]), StoreChanges(inserted: [same]),
    ]).map { try $0.get() }
    #expect(results[2].merged == [same.persistentIdentifier])
    #expect(
      results[1].remapped[trip.persistentIdentifier]
        == results[2].remapped[same.persistentIdentifier]
    )
    let trips = try sample.store.fetch(StoreQuery(entity: "Trip"))
    #expect(trips.map { $0["days"] } == [.integer(2)])
    #expect(sample.logSyncs == 1)
  }

  @Test func `are made again, each alone, if their commit fails`() throws {
    func group(_ sample: GroupSample) -> [StoreChanges] {
      (0..<3).map { sample.newItem("\($0)") }
    }
    let twin = try GroupSample(waiting: 2)
    _ = twin.save(group(twin))
    let sync = try #require(twin.files.calls.firstIndex { $0.kind == .sync })
    let sample = try GroupSample(waiting: 2)
    sample.files.reset(.init(call: sync))
    let saves = group(sample)
    let results = sample.save(saves)
    #expect(try results.map { try $0.get().version } == [2, 3, 4])
    #expect(sample.files.calls.count { $0.kind == .sync } > 3)
    #expect(try sample.titlesAfterKill() == ["before", "0", "1", "2"])
    // That an attempt was not stored says nothing about the save.
    #expect(throws: DataStoreError.outcomeUnknown) {
      try sample.store.outcome(ofSave: saves[1].saveIdentifier)
    }
  }

  @Test func `fail if no commit succeeds, and can be saved again`() throws {
    let sample = try GroupSample(waiting: 2)
    sample.files.reset(.noSync)
    let saves = (0..<3).map { sample.newItem("\($0)") }
    for result in sample.save(saves) {
      #expect(throws: DataStoreError.notSaved) { try result.get() }
    }
    #expect(try sample.titlesAfterKill() == ["before"])
    sample.files.reset()
    for save in saves { _ = try sample.store.apply(save) }
    #expect(try sample.titlesAfterKill() == ["before", "0", "1", "2"])
  }

  @Test func `have an unknown outcome if their commit cannot be rolled back`() throws {
    let twin = try GroupSample(waiting: 1)
    twin.access.reset()
    _ = twin.save([twin.newItem("1"), twin.newItem("2")])
    let sample = try GroupSample(waiting: 2)
    sample.files.reset(.noSync)
    // The last call examines the log after the commit.
    sample.access.reset(.from(call: twin.access.calls.count - 1, code: EIO))
    let saves = (0..<3).map { sample.newItem("\($0)") }
    for result in sample.save(saves) {
      #expect(throws: DataStoreError.outcomeUnknown) { try result.get() }
    }
    #expect(throws: DataStoreError.outcomeUnknown) { try sample.titles(sample.store) }
    sample.access.reset()
    sample.files.reset()
    for save in saves {
      guard case .notSaved = try sample.store.outcome(ofSave: save.saveIdentifier) else {
        Issue.record("the save must be reported as not saved")
        continue
      }
    }
    #expect(try sample.titlesAfterKill() == ["before"])
  }

  @Test func `do not fail because one has ended the transaction`() throws {
    let sample = try GroupSample(waiting: 3)
    let pages = try #require(try sample.store.integer("PRAGMA page_count"))
    // The connection for changes keeps this limit until it is replaced.
    try sample.store.execute("PRAGMA max_page_count = \(pages + 4)")
    let large = StoreChanges(
      inserted: [
        .new(SampleSchema.values, ["string": .string(String(repeating: "x", count: 90_000))])
      ]
    )
    let others = (1...3).map { sample.newItem("\($0)") }
    let results = sample.save([others[0], others[1], large, others[2]])
    #expect(try results.map { try $0.get().version } == [3, 4, 5, 6])
    #expect(try sample.titlesAfterKill() == ["before", "1", "2", "3"])
    #expect(try sample.store.count(StoreQuery(entity: "Values")) == 1)
  }

  @Test func `wait for a program's statements, which run on the program's thread`() throws {
    let sample = try GroupSample(waiting: 3, busyTimeout: 0.01)
    let saves = (0..<4).map { sample.newItem("\($0)") }
    let results = sample.run(4) { index in
      guard index == 2 else { return try sample.store.apply(saves[index]).version }
      let thread = Thread.current
      return try sample.store.withWritableConnection { connection in
        #expect(thread === Thread.current)
        // The same thread waits for nobody, so that it can be refused.
        #expect(throws: DataStoreError.storeBusy) { try sample.store.apply(saves[2]) }
        try connection.execute(
          "INSERT INTO Item(_key, title) VALUES (?, 'own')",
          .integer(try connection.newKey())
        )
        return 0
      }
    }
    #expect(try results.map { try $0.get() } == [2, 3, 0, 5])
    #expect(try sample.titles(sample.store) == ["before", "0", "1", "own", "3"])
  }

  @Test func `keep the time of their own environment`() throws {
    let sample = try GroupSample(waiting: 2)
    let saves = (0..<3).map { sample.newItem("\($0)") }
    let results = sample.run(3) { index in
      let date = Date(timeIntervalSinceReferenceDate: Double(index))
      return try StoreEnvironment.$current.withValue(StoreEnvironment(now: { date })) {
        try sample.store.apply(saves[index]).version
      }
    }
    #expect(try results.map { try $0.get() } == [2, 3, 4])
    let times = try sample.store.transactions(StoreHistoryQuery()).map(\.timestamp).dropFirst()
    #expect(times.map(\.timeIntervalSinceReferenceDate) == [0, 1, 2])
  }
}
