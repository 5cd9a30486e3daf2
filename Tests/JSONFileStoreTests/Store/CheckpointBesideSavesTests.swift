import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

/// Tests of checkpoints during continuous saves, on request and on a background thread.
@Suite struct CheckpointBesideSavesTests {
  /// The trigger of checkpoints.
  enum Checkpointing: CaseIterable, Codable {
    case onRequest, aside
  }

  /// The number of completed saves, shared by several tasks.
  private final class Progress: Sendable {
    let saved = Atomic(Int64(0))
  }

  /// Rows of which each save changes three: it inserts two, and the first row counts the saves.
  private struct Ledger: Sendable {
    let store: JSONFileStore
    let counter: PersistentIdentifier

    init(_ fixture: StoreFixture, _ checkpointing: Checkpointing, access: any FileAccess) throws {
      var configuration = fixture.configuration(durability: .none, access: access)
      if checkpointing == .aside {
        configuration.journalLimit = 1500
        configuration.backgroundCheckpointSize = 0
      }
      store = try JSONFileStore(configuration, migrationPlan: nil)
      counter = try #require(store.insert(newRow(["number": .integer(0)])).first)
    }

    func save(_ number: Int64) throws {
      let entity = StoreFixture.storeSchema.entity(named: "Item")
      let index = try #require(entity?.indexByName["number"])
      let change = StoreUpdate.Change(index, .integer(number))
      let row = newRow(["number": .integer(number)])
      let other = newRow(["number": .integer(number)])
      _ = try store.apply(
        StoreChanges(
          inserted: [row, other],
          updated: [StoreUpdate(identifier: counter, changes: [change])]
        )
      )
    }

    /// Returns the number of the save that the rows are from, or `nil` if they are from none.
    ///
    /// A store without rows is from before the first save.
    static func state(of store: JSONFileStore) throws -> Int64? {
      let numbers = try store.all().map { $0["number"] }
      if numbers.isEmpty { return 0 }
      let state = Int64(numbers.count / 2)
      let pairs = (0..<state).flatMap { [.integer($0 + 1), .integer($0 + 1)] as [StoreValue?] }
      return numbers == [.integer(state)] + pairs ? state : nil
    }
  }

  @Test(arguments: Checkpointing.allCases)
  func `no save is lost, and each read sees a complete save`(
    checkpointing: Checkpointing
  ) async throws {
    let fixture = try StoreFixture()
    let access = FaultyFileAccess()
    let ledger = try Ledger(fixture, checkpointing, access: access)
    let saves = Int64(300)
    let progress = Progress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { progress.saved.store(saves, ordering: .sequentiallyConsistent) }
        for number in 1...saves {
          try ledger.save(number)
          progress.saved.store(number, ordering: .sequentiallyConsistent)
        }
      }
      for reader in 0..<2 {
        group.addTask {
          var latest = Int64(0)
          while latest < saves {
            let least = progress.saved.load(ordering: .sequentiallyConsistent)
            let state = try #require(try Ledger.state(of: ledger.store))
            #expect(state >= max(least, latest))
            if least == saves { break }
            latest = state
            if reader == 0, checkpointing == .onRequest { try ledger.store.compact() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(access.calls.count { $0 == .rename } > 1)
    #expect(try Ledger.state(of: fixture.copy().open(durability: .none)) == saves)
    #expect(try ledger.store.verify() == [])
  }

  @Test(arguments: Checkpointing.allCases)
  func `a kill at any call loses no save that returned`(checkpointing: Checkpointing) async throws {
    for call in stride(from: 25, to: 500, by: 37) {
      let fixture = try StoreFixture()
      let path = fixture.folder.path
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, call = call as Int, checkpointing = checkpointing as Checkpointing]
        in
        try Self.saveUntilKilled(at: call, checkpointing, in: path)
      }
      let notes = try fixture.text(fixture.folder.appending(path: "saved"))
      let acknowledged = Int64(notes.split(separator: "\n").last ?? "0") ?? 0
      let store = try fixture.open(durability: .none)
      let state = try #require(try Ledger.state(of: store), "\(call)")
      #expect(state == acknowledged || state == acknowledged + 1, "\(call)")
      #expect(try store.verify() == [])
    }
  }

  /// Saves until a numbered system call kills the process, and records completed saves.
  private static func saveUntilKilled(
    at call: Int,
    _ checkpointing: Checkpointing,
    in path: String
  ) throws {
    let fixture = StoreFixture(in: URL(filePath: path))
    let notes = fixture.folder.appending(path: "saved")
    try Data().write(to: notes)
    let file = try FileHandle(forWritingTo: notes)
    let access = FaultyFileAccess(.killing(call: call))
    let ledger = try Ledger(fixture, checkpointing, access: access)
    if checkpointing == .onRequest {
      Thread.detachNewThread { while (try? ledger.store.compact()) != nil {} }
    }
    for number in 1...Int64(10_000) {
      try ledger.save(number)
      try file.write(contentsOf: Data("\(number)\n".utf8))
    }
  }
}
