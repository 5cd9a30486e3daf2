import Foundation
import StoreFiles
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A process killed during a backup")
struct BackupCrashTests {
  private static func open(_ path: String, _ access: FaultyFileAccess) throws -> SQLiteStore {
    let store = try SQLiteStore.withFiles(path, access: access)
    access.reset()
    return store
  }

  @Test func `leaves the store unchanged, and either a complete copy or none`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    let access = FaultyFileAccess()
    let store = try Self.open(path, access)
    try store.insert([FileSample.picture("p", ["photo": FileSample.data(300)])])
    access.reset()
    try store.backup(to: folder.url.appending(path: "first.db"))
    // A kill before a call that only reads is the same as one before the next call.
    let looks: Set<FileError.Operation> = [.status, .list, .lock, .read, .open, .openFolder]
    let calls = access.calls.indices.filter { !looks.contains(access.calls[$0]) }
    #expect(calls.count > 8)
    var copies = 0
    for call in calls {
      let copy = folder.path("\(call).db")
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, copy = copy as String, call = call as Int] in
        let access = FaultyFileAccess()
        let store = try Self.open(path, access)
        access.reset(.killing(call: call))
        try store.backup(to: URL(filePath: copy))
      }
      guard FileManager.default.fileExists(atPath: copy) else { continue }
      copies += 1
      let opened = try SQLiteStore.withFiles(copy, allowsSave: false)
      #expect(try opened.verify() == [], "call \(call)")
      #expect(try opened.pictures() == store.pictures())
      _ = try SQLiteStore.withFiles(copy)
      #expect(try folder.names().filter { $0.hasPrefix(".\(call).db") } == [])
    }
    #expect(copies > 1)
    #expect(try store.verify() == [])
  }
}
