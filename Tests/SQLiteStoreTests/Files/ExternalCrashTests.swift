import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A process that is killed while it writes values to files")
struct ExternalCrashTests {
  /// Replaces all values of four rows repeatedly, and records the acknowledged rounds.
  private static func save(_ path: String, dyingAtStep step: Int?, atCall call: Int?) throws {
    let log = StatementLog { number in
      if number == step { kill(getpid(), SIGKILL) }
    }
    let access = FaultyFileAccess(call.map { .killing(call: $0) } ?? .none)
    let store = try SQLiteStore.withFiles(path, access: access, log: log)
    var rows = try store.insert((0..<4).map { picture($0, 1) })
    for round in UInt8(1)...6 {
      try Data([round]).write(to: URL(filePath: path + ".acknowledged"))
      var changes = StoreChanges(
        updated: rows.dropLast().map {
          .change($0, FileSample.picture, ["photo": photo(round + 1), "notes": notes(round + 1)])
        },
        deleted: [rows[3]]
      )
      changes.inserted = [picture(3, round + 1)]
      rows[3] = try #require(try store.apply(changes).remapped.values.first)
    }
    kill(getpid(), SIGKILL)
  }

  private static func photo(_ round: UInt8) -> StoreValue {
    FileSample.data(5_000, round)
  }

  private static func notes(_ round: UInt8) -> StoreValue {
    .string(String(repeating: "\(round)", count: 2_000))
  }

  private static func picture(_ number: Int, _ round: UInt8) -> DefaultSnapshot {
    FileSample.picture("\(number)", ["photo": photo(round), "notes": notes(round)])
  }

  private func check(_ folder: TemporaryFolder, _ moment: String) throws {
    let path = folder.path("a.db")
    let acknowledged = (try? Data(contentsOf: URL(filePath: path + ".acknowledged")))?.first ?? 0
    let store = try SQLiteStore.withFiles(path)
    let rows = try store.pictures()
    let rounds = Set(
      rows.map { row -> UInt8 in
        guard case .data(let data)? = row["photo"], let round = data.first else { return 0 }
        #expect(row["photo"] == Self.photo(round), "\(moment)")
        #expect(row["notes"] == Self.notes(round), "\(moment)")
        return round
      }
    )
    #expect(rounds.count <= 1, "\(moment)")
    #expect([acknowledged, acknowledged + 1].contains(rounds.first ?? 0), "\(moment)")
    #expect(rows.count == (rounds.isEmpty ? 0 : 4), "\(moment)")
    #expect(folder.valueFiles.count == rows.count * 2, "\(moment)")
    #expect(try store.text("PRAGMA integrity_check") == "ok")
  }

  @Test(arguments: [30, 55, 70, 84, 97, 110, 124, 143, 170, 10_000])
  func `leaves only whole saves, at any statement`(step: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, step = step as Int] in
      try Self.save(path, dyingAtStep: step, atCall: nil)
    }
    try check(folder, "step \(step)")
  }

  @Test(arguments: [12, 25, 40, 47, 60, 72, 85, 99, 113, 130, 151, 180])
  func `leaves only whole saves, at any file call`(call: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, call = call as Int] in
      try Self.save(path, dyingAtStep: nil, atCall: call)
    }
    try check(folder, "call \(call)")
  }
}

@Suite("Concurrent stores with values in files")
struct ExternalConcurrencyTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  /// Whether all bytes of a value are equal, as in each saved value.
  private static func isWhole(_ value: StoreValue?) -> Bool {
    guard case .data(let data)? = value else { return false }
    return data.count == 3_000 && Set(data).count == 1
  }

  @Test func `replace and read values at the same time`() async throws {
    let first = try SQLiteStore.withFiles(path)
    let row = try first.insert([FileSample.picture("a", ["photo": FileSample.data(3_000)])])[0]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask { [path] in
          let store = try SQLiteStore.withFiles(path)
          for round in 0..<40 {
            try store.update(row, ["photo": FileSample.data(3_000, UInt8(writer * 100 + round))])
          }
        }
      }
      for reader in 0..<2 {
        group.addTask { [path] in
          let store = reader == 0 ? first : try SQLiteStore.withFiles(path)
          for _ in 0..<150 {
            let photo = try store.record(row)?["photo"]
            #expect(Self.isWhole(photo))
          }
        }
      }
      try await group.waitForAll()
    }
    try first.update(row, ["photo": FileSample.data(3_000, 1)])
    _ = try SQLiteStore.withFiles(path)
    #expect(folder.valueFiles.count == 1)
  }

  private static func replaceElsewhere(_ path: String) async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let store = try SQLiteStore.withFiles(path)
      for round in 0..<60 {
        let row = try #require(try store.pictures().first)
        #expect(Self.isWhole(row["photo"]))
        let photo = FileSample.data(3_000, UInt8(round))
        try store.update(row.persistentIdentifier, ["photo": photo])
      }
    }
  }

  @Test func `in two processes replace and read values`() async throws {
    let store = try SQLiteStore.withFiles(path)
    let row = try store.insert([FileSample.picture("a", ["photo": FileSample.data(3_000)])])[0]
    let path = path
    async let child: Void = Self.replaceElsewhere(path)
    for round in 0..<60 {
      let before = try store.record(row)?["photo"]
      try store.update(row, ["photo": FileSample.data(3_000, UInt8(100 + round))])
      let after = try store.record(row)?["photo"]
      #expect(Self.isWhole(before) && Self.isWhole(after))
    }
    await child
    _ = try SQLiteStore.withFiles(path)
    #expect(folder.valueFiles.count == 1)
  }

  @Test func `read the values of the state in which a long read began`() throws {
    let store = try SQLiteStore.withFiles(path)
    let other = try SQLiteStore.withFiles(path)
    let rows = try store.insert(
      (0..<3).map { FileSample.picture("\($0)", ["photo": FileSample.data(200, UInt8($0))]) }
    )
    for writer in [store, other] {
      var seen: [StoreValue] = []
      try store.read(StoreQuery(entity: "Picture")) { reader in
        if seen.isEmpty {
          for row in rows { try writer.update(row, ["photo": FileSample.data(300)]) }
        }
        let photo = try #require(FileSample.picture.indexByName["photo"])
        seen.append(try reader.value(at: photo))
      }
      #expect(seen == (0..<3).map { FileSample.data(200, $0) })
      for (number, row) in rows.enumerated() {
        try writer.update(row, ["photo": FileSample.data(200, UInt8(number))])
      }
      #expect(folder.valueFiles.count == 3)
    }
  }
}
