import CSQLite
import Foundation
import Synchronization

/// SQLite's access to files with writes and syncs that fail, under a name of its own.
///
/// The files are those of SQLite's own access; only the table of their calls is another.
package final class FaultyFiles: Sendable {
  /// A call that can fail.
  package struct Call: Equatable, Sendable {
    package enum Kind: Sendable { case write, sync, truncate }
    package enum Role: Sendable { case database, log, other }

    package let kind: Kind
    package let role: Role
    /// How many bytes a write was given.
    package var bytes = 0
  }

  /// Which calls fail, and how.
  package struct Fault: Sendable {
    /// All is written, and no sync succeeds.
    package static let noSync = Fault(count: .max / 2, kinds: [.sync])
    /// The same of the database file alone, which is synced where the log is checkpointed into it.
    package static let noDatabaseSync = Fault(count: .max / 2, kinds: [.sync], roles: [.database])

    package enum Effect: CaseIterable, Sendable { case none, half, all }

    /// The number of the first call that fails.
    package var call: Int
    /// How many calls fail.
    package var count: Int
    /// The kinds of calls that fail.
    package var kinds: [Call.Kind]
    /// The files whose calls fail.
    package var roles: [Call.Role]
    /// What the call does before it reports the failure.
    package var effect: Effect
    package var code: Int32

    /// Creates a fault; one call of any kind fails unless something else is said.
    package init(
      call: Int = 0,
      count: Int = 1,
      kinds: [Call.Kind] = [.write, .sync, .truncate],
      roles: [Call.Role] = [.database, .log, .other],
      effect: Effect = .none,
      code: Int32 = SQLITE_IOERR
    ) {
      self.call = call
      self.count = count
      self.kinds = kinds
      self.roles = roles
      self.effect = effect
      self.code = code
    }
  }

  private struct State {
    var calls: [Call] = []
    var fault: Fault?
    var blocks: [Call.Role: Blocks] = [:]
  }

  /// The blocks of a file on a file system that treats failures as ext4 does since Linux 6.15.
  private struct Blocks {
    /// Those that the file got since it was last synced.
    var new: Set<Int> = []
    /// Those that it got before a sync that failed: whatever is written to them is in memory alone,
    /// until they are given back.
    var lost: Set<Int> = []
    /// Those that were lost and are zeros in memory as well, until they are written to.
    var forgotten: Set<Int> = []

    mutating func end(at size: Int) {
      new = new.filter { $0 * blockSize < size }
      lost = lost.filter { $0 * blockSize < size }
      forgotten = forgotten.filter { $0 * blockSize < size }
    }

    mutating func forget(_ range: Range<Int>) {
      let blocks = lost.filter { range.contains($0 * blockSize) }
      lost.subtract(blocks)
      forgotten.formUnion(blocks)
    }
  }

  /// The size of a block in bytes.
  package static let blockSize = 4_096

  /// The name that SQLite knows it by.
  package let name = "faulty-\(UUID().uuidString)"
  private let state = Mutex(State())
  private let syncTime: TimeInterval
  // Unchecked: made once, and only read by SQLite.
  private nonisolated(unsafe) let entry: UnsafeMutablePointer<Entry>

  /// An access with the object that it belongs to behind it.
  fileprivate struct Entry {
    var vfs: sqlite3_vfs
    var files: Unmanaged<FaultyFiles>?
  }

  /// Makes it known to SQLite.
  ///
  /// - Parameter syncTime: The time in seconds that each sync takes in addition to the disk's.
  /// - Throws: An error if SQLite has no access to files.
  package init(syncTime: TimeInterval = 0) throws {
    struct NoFiles: Error {}
    self.syncTime = syncTime
    guard let system = sqlite3_vfs_find(nil) else { throw NoFiles() }
    entry = .allocate(capacity: 1)
    entry.initialize(to: Entry(vfs: system.pointee, files: nil))
    entry.pointee.vfs.pNext = nil
    entry.pointee.vfs.zName = UnsafePointer(strdup(name))
    entry.pointee.vfs.xOpen = { vfs, name, file, flags, outFlags in
      FaultyFiles.open(vfs, name, file, flags, outFlags)
    }
    entry.pointee.files = Unmanaged.passUnretained(self)
    sqlite3_vfs_register(vfs, 0)
  }

  deinit {
    sqlite3_vfs_unregister(vfs)
    free(UnsafeMutableRawPointer(mutating: entry.pointee.vfs.zName))
    entry.deallocate()
  }

  private var vfs: UnsafeMutablePointer<sqlite3_vfs> {
    UnsafeMutableRawPointer(entry).assumingMemoryBound(to: sqlite3_vfs.self)
  }

  /// The calls so far, failed ones included.
  package var calls: [Call] { state.withLock { $0.calls } }

  /// The blocks of which the disk will have zeros, although all syncs after the one that failed have
  /// succeeded.
  package func lostBlocks(of role: Call.Role) -> Set<Int> {
    state.withLock { state in
      state.blocks[role].map { $0.lost.union($0.forgotten) } ?? []
    }
  }

  /// Has the system forget what it holds of a part of a file in memory.
  package func forget(_ range: Range<Int>, of role: Call.Role) {
    state.withLock { $0.blocks[role]?.forget(range) }
  }

  /// Forgets the calls and sets another fault.
  package func reset(_ fault: Fault? = nil) {
    state.withLock { $0 = State(fault: fault, blocks: $0.blocks) }
  }

  /// Notes which blocks a file of a size gets by a write.
  fileprivate func noteWrite(_ role: Call.Role, size: Int, _ range: Range<Int>) {
    state.withLock { state in
      // Somebody else may have cut the file.
      state.blocks[role, default: Blocks()].end(at: size)
      let blocks = { (size: Int) in (size + Self.blockSize - 1) / Self.blockSize }
      let first = max(range.lowerBound / Self.blockSize, blocks(size))
      let end = blocks(range.upperBound)
      if first < end { state.blocks[role]?.new.formUnion(first..<end) }
      let written = (range.lowerBound / Self.blockSize)..<end
      let again = state.blocks[role]?.forgotten.intersection(written) ?? []
      state.blocks[role]?.forgotten.subtract(again)
      state.blocks[role]?.new.formUnion(again)
    }
  }

  fileprivate func noteSync(_ role: Call.Role, isDone: Bool) {
    state.withLock { state in
      var blocks = state.blocks[role] ?? Blocks()
      if !isDone { blocks.lost.formUnion(blocks.new) }
      blocks.new = []
      state.blocks[role] = blocks
    }
  }

  fileprivate func noteEnd(_ role: Call.Role, at size: Int) {
    state.withLock { $0.blocks[role]?.end(at: size) }
  }

  /// Counts a call; the fault where it is to fail.
  fileprivate func fault(_ call: Call) -> Fault? {
    if call.kind == .sync, syncTime > 0 { Thread.sleep(forTimeInterval: syncTime) }
    return state.withLock { state in
      let number = state.calls.count
      state.calls.append(call)
      guard let fault = state.fault, number >= fault.call, number < fault.call + fault.count,
        fault.kinds.contains(call.kind), fault.roles.contains(call.role)
      else {
        return nil
      }
      return fault
    }
  }

  private static func open(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?,
    _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let vfs, let file, let system = sqlite3_vfs_find(nil),
      let open = system.pointee.xOpen,
      let files = UnsafeRawPointer(vfs).assumingMemoryBound(to: Entry.self).pointee.files
    else { return SQLITE_CANTOPEN }
    let code = open(system, name, file, flags, outFlags)
    if let methods = file.pointee.pMethods {
      let role: Call.Role =
        if flags & SQLITE_OPEN_MAIN_DB != 0 { .database } else if flags & SQLITE_OPEN_WAL != 0 {
          .log
        } else { .other }
      file.pointee.pMethods = OpenFile.methods(around: methods, role, files)
    }
    return code
  }
}

/// The table of a file's calls, with the system's own behind it.
private struct OpenFile {
  var methods: sqlite3_io_methods
  let system: UnsafePointer<sqlite3_io_methods>
  let role: FaultyFiles.Call.Role
  let files: Unmanaged<FaultyFiles>

  static func methods(
    around system: UnsafePointer<sqlite3_io_methods>,
    _ role: FaultyFiles.Call.Role,
    _ files: Unmanaged<FaultyFiles>
  ) -> UnsafePointer<sqlite3_io_methods> {
    let table = UnsafeMutablePointer<OpenFile>.allocate(capacity: 1)
    var file = OpenFile(methods: system.pointee, system: system, role: role, files: files)
    file.methods.xWrite = { file, bytes, count, offset in
      let open = OpenFile.of(file)
      var size: sqlite3_int64 = 0
      _ = open.system.pointee.xFileSize(file, &size)
      open.files.takeUnretainedValue()
        .noteWrite(open.role, size: Int(size), Int(offset)..<Int(offset) + Int(count))
      return open.call(.write, Int(count)) { methods, share in
        let part = Int32(Double(count) * share)
        return part > 0 ? methods.xWrite(file, bytes, part, offset) : SQLITE_OK
      }
    }
    file.methods.xSync = { file, flags in
      let open = OpenFile.of(file)
      let code = open.call(.sync) { $1 == 1 ? $0.xSync(file, flags) : SQLITE_OK }
      open.files.takeUnretainedValue().noteSync(open.role, isDone: code == SQLITE_OK)
      return code
    }
    file.methods.xTruncate = { file, size in
      let open = OpenFile.of(file)
      let code = open.call(.truncate) { $1 == 1 ? $0.xTruncate(file, size) : SQLITE_OK }
      if code == SQLITE_OK {
        open.files.takeUnretainedValue().noteEnd(open.role, at: Int(size))
      }
      return code
    }
    file.methods.xClose = { file in
      let open = file?.pointee.pMethods
      let code = OpenFile.of(file).system.pointee.xClose(file)
      UnsafeMutableRawPointer(mutating: open)?.deallocate()
      return code
    }
    table.initialize(to: file)
    return UnsafeRawPointer(table).assumingMemoryBound(to: sqlite3_io_methods.self)
  }

  static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile {
    guard let methods = file?.pointee.pMethods else { preconditionFailure("a file has methods") }
    return UnsafeRawPointer(methods).assumingMemoryBound(to: OpenFile.self).pointee
  }

  /// Makes a call, or the share of it that the fault allows, and reports its failure.
  func call(
    _ kind: FaultyFiles.Call.Kind,
    _ bytes: Int = 0,
    _ body: (sqlite3_io_methods, Double) -> Int32
  ) -> Int32 {
    let call = FaultyFiles.Call(kind: kind, role: role, bytes: bytes)
    guard let fault = files.takeUnretainedValue().fault(call) else {
      return body(system.pointee, 1)
    }
    switch fault.effect {
    case .none: break
    case .half: _ = body(system.pointee, 0.5)
    case .all: _ = body(system.pointee, 1)
    }
    return fault.code
  }
}
