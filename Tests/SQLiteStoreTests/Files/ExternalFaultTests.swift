import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A save with values in files that fails")
struct ExternalFaultTests {
  enum Kind: CaseIterable {
    case once, noSpace, late, torn, lasting

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

  /// A store of three pictures with files.
  private func prepared() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try SQLiteStore.withFiles(folder.path("a.db")).insert(
      (0..<3).map { FileSample.picture("\($0)", ["photo": FileSample.data(200, UInt8($0))]) }
    )
    return folder
  }

  /// Inserts, updates, deletes and merges rows, all with files.
  private func change(_ store: SQLiteStore) throws {
    let rows = try store.pictures().map(\.persistentIdentifier)
    let photo = FileSample.data(300, 9)
    let notes = StoreValue.string(String(repeating: "n", count: 400))
    _ = try store.apply(
      StoreChanges(
        inserted: [
          FileSample.picture("new", ["photo": photo, "notes": notes]),
          FileSample.picture("2", ["photo": FileSample.data(300, 8)]),
        ],
        updated: [.change(rows[0], FileSample.picture, ["photo": photo])],
        deleted: [rows[1]]
      )
    )
  }

  private func content(_ store: SQLiteStore) throws -> [[StoreValue]] {
    try store.pictures().map(\.values)
  }

  @Test(arguments: Kind.allCases)
  func `is stored as a whole or not at all, and leaves only files that reopening removes`(
    kind: Kind
  ) throws {
    let base = try prepared()
    let access = FaultyFileAccess()
    let reference = try base.copy()
    let whole = try SQLiteStore.withFiles(reference.path("a.db"), access: access)
    let before = try content(whole)
    access.reset()
    try change(whole)
    let count = access.calls.count
    let after = try content(whole)
    #expect(count > 20)
    for call in Sweep.part(Array(0..<count), of: 8) {
      let folder = try base.copy()
      try check(folder, kind.fault(at: call), before, after)
    }
  }

  private func check(
    _ folder: TemporaryFolder,
    _ fault: FaultyFileAccess.Fault,
    _ before: [[StoreValue]],
    _ after: [[StoreValue]]
  ) throws {
    let access = FaultyFileAccess()
    let store = try SQLiteStore.withFiles(folder.path("a.db"), access: access)
    // The change reads first: only the save itself is to fail.
    var failure: DataStoreError?
    access.reset(fault)
    do {
      try change(store)
    } catch {
      failure = try #require(error as? DataStoreError, "\(fault)")
    }
    access.reset()
    let now = try content(store)
    #expect(now == (failure == nil ? after : before), "\(fault) \(String(describing: failure))")
    let killed = try folder.copy()
    if failure != nil {
      try change(store)
      #expect(try content(store) == after, "\(fault)")
    }
    let reopened = try SQLiteStore.withFiles(killed.path("a.db"))
    #expect(try content(reopened) == now, "\(fault)")
    #expect(killed.valueFiles.count == (failure == nil ? 4 : 3), "\(fault)")
  }

  @Test func `throws an error with the property`() throws {
    let folder = try TemporaryFolder()
    let access = FaultyFileAccess()
    let store = try SQLiteStore.withFiles(folder.path("a.db"), access: access)
    try store.insert([FileSample.picture("a", ["photo": FileSample.data(200)])])
    access.reset()
    try store.insert([FileSample.picture("b", ["photo": FileSample.data(200)])])
    let write = try #require(access.calls.firstIndex(of: .write))
    access.reset(.once(call: write, code: ENOSPC))
    let error = #expect(throws: DataStoreError.self) {
      try store.insert([FileSample.picture("c", ["photo": FileSample.data(200)])])
    }
    #expect(error == .notSaved)
    #expect(error?.property == "photo")
    #expect(folder.valueFiles.count == 2)
  }

  @Test func `continues after interrupted and partial file calls`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore.withFiles(
      folder.path("a.db"),
      access: FaultyFileAccess(.halting(bytes: 7))
    )
    let row = try store.insert([FileSample.picture("a", ["photo": FileSample.data(500)])])[0]
    #expect(try store.record(row)?["photo"] == FileSample.data(500))
  }

  @Test func `removes its files if the database refuses it`() throws {
    let folder = try prepared()
    let store = try SQLiteStore.withFiles(folder.path("a.db"))
    let rows = try store.pictures().map(\.persistentIdentifier)
    #expect(throws: DataStoreError.uniqueConflict) {
      _ = try store.apply(
        StoreChanges(
          inserted: [FileSample.picture("x", ["photo": FileSample.data(200)])],
          updated: [.change(rows[0], FileSample.picture, ["name": .string("1")])]
        )
      )
    }
    #expect(throws: DataStoreError.conflict) {
      let gone = PersistentIdentifier(
        scope: .init(storeIdentifier: store.identifier, entityName: "Picture"),
        key: .integer(99)
      )
      try store.update(gone, ["photo": FileSample.data(200)])
    }
    #expect(folder.valueFiles.count == 3)
  }
}
