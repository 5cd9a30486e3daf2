import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

/// An operation of a store in which each file operation is made to fail.
struct FaultyWork: CustomTestStringConvertible, Sendable {
  let name: String
  /// Whether the journal has a record before the operation begins.
  var startsWithJournal = false
  var journalLimit: Int?
  var usesJournal = true
  let run: @Sendable (JSONFileStore) throws -> Void

  var testDescription: String { name }

  static let change: @Sendable (JSONFileStore) throws -> Void = { store in
    let rows = try store.all()
    let index = try #require(rows.first?.names.index(of: "number"))
    _ = try store.apply(
      StoreChanges(
        inserted: [newRow(["name": .string("new"), "ratio": .double(0.5)])],
        updated: [
          StoreUpdate(
            identifier: rows[0].persistentIdentifier,
            changes: [.init(index, .integer(99))]
          )
        ],
        deleted: [rows[1].persistentIdentifier]
      )
    )
  }

  static let all: [FaultyWork] = [
    FaultyWork(name: "the first save", run: change),
    FaultyWork(name: "a later save", startsWithJournal: true, run: change),
    FaultyWork(
      name: "a save that checkpoints",
      startsWithJournal: true,
      journalLimit: 0,
      run: change
    ),
    FaultyWork(name: "a save that writes the document directly", journalLimit: 0, run: change),
    FaultyWork(
      name: "a save after which the journal is checkpointed",
      startsWithJournal: true,
      journalLimit: 700,
      run: change
    ),
    FaultyWork(name: "an erasure", startsWithJournal: true, run: { try $0.erase() }),
    FaultyWork(name: "a compaction", startsWithJournal: true, run: { try $0.compact() }),
    FaultyWork(name: "a close", startsWithJournal: true, run: { try $0.close() }),
    FaultyWork(name: "a save without journal", usesJournal: false, run: change),
    FaultyWork(name: "an erasure without journal", usesJournal: false, run: { try $0.erase() }),
  ]
}

@Suite struct JSONFileStoreFaultTests {
  enum Kind: CaseIterable {
    case once, late, torn, lasting, noSpace

    func fault(at call: Int) -> FaultyFileAccess.Fault {
      switch self {
      case .once: .once(call: call, code: EIO)
      case .noSpace: .once(call: call, code: ENOSPC)
      case .late: .late(call: call, code: EIO)
      case .torn: .torn(call: call, code: ENOSPC)
      case .lasting: .from(call: call, code: EIO)
      }
    }
  }

  private func prepared(_ work: FaultyWork) throws -> StoreFixture {
    let fixture = try StoreFixture()
    do {
      let store = try fixture.open()
      for number in 0..<5 {
        try store.insert(
          newRow(["name": .string("row \(number)"), "number": .integer(Int64(number))])
        )
      }
      try store.insert(newRow(["size": .integer(1)], entity: "Other"))
    }
    return fixture
  }

  private func reopen(
    _ fixture: StoreFixture,
    _ work: FaultyWork
  ) throws -> JSONFileStore {
    var configuration = fixture.configuration()
    configuration.usesJournal = work.usesJournal
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  private func open(
    _ fixture: StoreFixture,
    _ work: FaultyWork,
    _ access: FaultyFileAccess
  ) throws -> JSONFileStore {
    var configuration = fixture.configuration(access: access)
    configuration.journalLimit = work.journalLimit
    configuration.usesJournal = work.usesJournal
    let store = try JSONFileStore(configuration, migrationPlan: nil)
    if work.startsWithJournal {
      // An update of another entity creates the journal before the operation.
      let other = try store.all("Other")[0].persistentIdentifier
      _ = try store.apply(
        StoreChanges(
          updated: [StoreUpdate(identifier: other, changes: [.init(0, .integer(2))])]
        )
      )
    }
    return store
  }

  /// The identifiers and values of all rows.
  private func content(_ store: JSONFileStore) throws -> [String] {
    try store.content().map { "\($0.persistentIdentifier) \($0.values)" }
  }

  @Test(arguments: FaultyWork.all, Kind.allCases)
  func `a failure of any file operation leaves the state before or after`(
    work: FaultyWork,
    kind: Kind
  ) throws {
    let base = try prepared(work)
    let access = FaultyFileAccess()
    let reference = try base.copy()
    let store = try open(reference, work, access)
    let before = try content(store)
    access.reset()
    try work.run(store)
    let count = access.calls.count
    let after = try content(try reopen(reference, work))
    #expect(count > 0)
    for call in Sweep.part(Array(0..<count), of: 2) {
      try check(work, kind.fault(at: call), on: try base.copy(), before, after)
    }
  }

  private func check(
    _ work: FaultyWork,
    _ fault: FaultyFileAccess.Fault,
    on fixture: StoreFixture,
    _ before: [String],
    _ after: [String]
  ) throws {
    let access = FaultyFileAccess()
    var store: JSONFileStore? = try open(fixture, work, access)
    access.reset(fault)
    var failure: DataStoreError?
    do {
      if let store { try work.run(store) }
    } catch {
      failure = try #require(error as? DataStoreError)
    }
    let crashed = try fixture.copy()
    access.reset()
    let expected: [[String]] =
      switch failure {
      case nil: [after]
      case .outcomeUnknown: [before, after]
      default: [before]
      }
    if let store, work.name != "a close", failure != nil {
      #expect(try content(store) == before, "\(fault)")
      // Without the fault, the same operation succeeds.
      try work.run(store)
      #expect(try content(store) == after, "\(fault)")
    }
    store = nil
    let reopened = try content(try crashed.open())
    #expect(expected.contains(reopened), "\(fault): \(failure.map { "\($0)" } ?? "no error")")
    #expect(try crashed.names.filter { $0.contains("tmp") } == [])
    let last = try content(try fixture.open())
    #expect([before, after].contains(last), "\(fault)")
    if failure == nil { #expect(last == after, "\(fault)") }
  }

  @Test(arguments: Kind.allCases, [true, false])
  func `a failure of any file operation during recovery loses nothing`(
    kind: Kind,
    usesJournal: Bool
  ) throws {
    let base = try prepared(FaultyWork.all[0])
    let running = try base.open()
    try FaultyWork.change(running)
    let crashed = try base.copy()
    // A torn record after the last one, as after a kill during a write.
    let handle = try FileHandle(forWritingTo: crashed.journal)
    try handle.seek(toOffset: UInt64(crashed.records().count))
    try handle.write(contentsOf: Data("0000000999 12345678 {\"next\":".utf8))
    try handle.close()
    let after = try content(running)
    let access = FaultyFileAccess()
    let open = { (fixture: StoreFixture, access: FaultyFileAccess) in
      var configuration = fixture.configuration(access: access)
      configuration.usesJournal = usesJournal
      return try JSONFileStore(configuration, migrationPlan: nil)
    }
    _ = try open(crashed.copy(), access)
    for call in Sweep.part(Array(access.calls.indices), of: 8) {
      let fixture = try crashed.copy()
      let access = FaultyFileAccess(kind.fault(at: call))
      if let store = try? open(fixture, access) {
        #expect(try content(store) == after, "\(kind) \(call)")
      }
      let killed = try fixture.copy()
      access.reset()
      #expect(try content(try killed.open()) == after, "\(kind) \(call)")
    }
  }

  @Test(arguments: Kind.allCases)
  func `a failure of any file operation during creation can be retried`(kind: Kind) throws {
    let counting = FaultyFileAccess()
    _ = try StoreFixture().open(access: counting)
    for call in 0..<counting.calls.count {
      let fixture = try StoreFixture()
      _ = try? fixture.open(access: FaultyFileAccess(kind.fault(at: call)))
      #expect(try fixture.open().content() == [], "\(kind) \(call)")
      #expect(try fixture.names == ["items.json"], "\(kind) \(call)")
    }
  }

  @Test func `interrupted and partial system calls lose nothing`() throws {
    let fixture = try StoreFixture()
    do {
      let store = try fixture.open(access: FaultyFileAccess(.halting(bytes: 7)))
      for number in 0..<5 { try store.insert(newRow(["number": .integer(Int64(number))])) }
      try store.compact()
      try store.insert(newRow(["number": .integer(5)]))
    }
    let again = try fixture.open(access: FaultyFileAccess(.halting(bytes: 7)))
    #expect(try again.all().compactMap { $0["number"] } == (0..<6).map { .integer($0) })
  }

  @Test func `a failed sync is not retried`() throws {
    let fixture = try StoreFixture()
    let access = FaultyFileAccess()
    let store = try fixture.open(access: access)
    try store.insert(newRow([:]))
    access.reset()
    try store.insert(newRow([:]))
    let sync = try #require(access.calls.lastIndex(of: .sync))
    access.reset(.once(call: sync, code: EIO))
    #expect(throws: DataStoreError.notSaved) { try store.insert(newRow([:])) }
    // A new document follows: created, written, synced and renamed.
    let rest = access.calls[(sync + 1)...].filter { $0 != .status }
    #expect(rest == [.create, .write, .sync, .rename, .sync, .unlink])
    #expect(try fixture.copy().open().all().count == 2)
    try store.insert(newRow([:]))
    #expect(try fixture.copy().open().all().count == 3)
  }

  @Test(arguments: [
    (StoreCapabilities.Durability.full, 1), (.relaxed, 0), (.none, 0),
  ])
  func `a save has the syncs of its durability level`(
    durability: StoreCapabilities.Durability,
    syncs: Int
  ) throws {
    let access = FaultyFileAccess()
    let fixture = try StoreFixture()
    let store = try fixture.open(durability: durability, access: access)
    try store.insert(newRow([:]))
    access.reset()
    try store.insert(newRow([:]))
    #expect(access.calls.filter { $0 == .sync }.count == syncs)
    #expect(access.calls.filter { $0 == .write }.count == 1)
  }
}
