import Foundation
import StoreFiles
import Synchronization

/// File access in which chosen calls fail, for fault injection tests of stores.
package final class FaultyFileAccess: FileAccess {
  /// The calls that fail, and how they fail.
  package enum Fault: Hashable, Sendable {
    /// Nothing fails.
    case none
    /// One call fails.
    case once(call: Int, code: Int32)
    /// A call and all later ones fail.
    case from(call: Int, code: Int32)
    /// One call succeeds but reports a failure.
    case late(call: Int, code: Int32)
    /// A write transfers only the first half of its bytes, then all calls fail.
    case torn(call: Int, code: Int32)
    /// Every call is interrupted once, and every transfer is limited to a few bytes; all of them
    /// continue.
    case halting(bytes: Int)
    /// The process is killed instead of one call.
    case killing(call: Int)
  }

  private struct State {
    var fault: Fault
    var calls: [FileError.Operation] = []
    var bytesWritten = 0
    var forgetCount = 0
    var wasInterrupted = false
    var isTorn = false
  }

  /// A closure that is called with a part of a file that the system was asked to drop from its
  /// cache.
  package typealias ForgetObserver = @Sendable (_ path: String, _ range: Range<Int>) -> Void

  private let system = SystemFileAccess()
  private let state: Mutex<State>
  private let onForget: ForgetObserver?
  private let syncTime: TimeInterval

  /// Creates an access.
  ///
  /// - Parameters:
  ///   - fault: The calls that fail.
  ///   - syncTime: The time in seconds that each sync takes in addition to the disk's.
  ///   - onForget: The observer of what is dropped from the cache.
  package init(
    _ fault: Fault = .none,
    syncTime: TimeInterval = 0,
    onForget: ForgetObserver? = nil
  ) {
    state = Mutex(State(fault: fault))
    self.syncTime = syncTime
    self.onForget = onForget
  }

  /// The calls so far, including failed ones.
  ///
  /// Closing does not count, and neither does a request for a lock that another holder has, because
  /// the store does not determine how often that occurs.
  package var calls: [FileError.Operation] { state.withLock { $0.calls } }

  /// The number of bytes written so far.
  ///
  /// The note of a lock's holder is not counted, because its length depends on the process
  /// identifier and name.
  package var bytesWritten: Int { state.withLock { $0.bytesWritten } }

  /// The number of times that the system was asked to drop a part of a file from its cache.
  package var forgetCount: Int { state.withLock { $0.forgetCount } }

  /// Removes the recorded calls and sets another fault.
  package func reset(_ fault: Fault = .none) {
    state.withLock { $0 = State(fault: fault) }
  }

  /// Counts a call, and fails it according to the fault.
  ///
  /// - Returns: The number of bytes to transfer, of `count`.
  @discardableResult
  private func count(
    _ operation: FileError.Operation,
    _ count: Int = 0
  ) throws(SystemError) -> Int {
    let result = state.withLock { state -> Result<Int, SystemError> in
      let call = state.calls.count
      state.calls.append(operation)
      switch state.fault {
      case .once(call, let code): return .failure(SystemError(code: code))
      case .from(let first, let code) where call >= first:
        return .failure(SystemError(code: code))
      case .torn(let first, let code) where call >= first:
        if operation == .write, !state.isTorn, count > 1 {
          state.isTorn = true
          return .success(count / 2)
        }
        return .failure(SystemError(code: code))
      case .killing(let call) where call == state.calls.count - 1: _ = kill(getpid(), SIGKILL)
      case .halting(let bytes):
        state.wasInterrupted.toggle()
        if state.wasInterrupted { return .failure(SystemError(code: EINTR)) }
        return .success(min(count, bytes))
      default: break
      }
      return .success(count)
    }
    return try result.get()
  }

  /// Fails after a call that succeeded, according to the fault.
  private func failIfDue() throws(SystemError) {
    let code = state.withLock { state -> Int32? in
      if case .late(state.calls.count - 1, let code) = state.fault { return code }
      return nil
    }
    if let code { throw SystemError(code: code) }
  }

  /// Returns the path of an open file, or an empty string if the system does not provide it.
  private static func path(of descriptor: Int32) -> String {
    let link = "/proc/self/fd/\(descriptor)"
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? ""
  }
}

extension FaultyFileAccess {
  package func openFolder(_ path: String) throws(SystemError) -> Int32 {
    try count(.openFolder)
    return try system.openFolder(path)
  }

  package func makeFolder(_ path: String) throws(SystemError) {
    try count(.makeFolder)
    try system.makeFolder(path)
    try failIfDue()
  }

  package func openFolder(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
    try count(.openFolder)
    return try system.openFolder(name, in: folder)
  }

  package func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    try count(.makeFolder)
    try system.makeFolder(name, in: folder)
    try failIfDue()
  }

  package func names(in folder: Int32) throws(SystemError) -> [String] {
    try count(.list)
    return try system.names(in: folder)
  }

  package func open(
    _ name: String,
    in folder: Int32,
    for use: FileUse
  ) throws(SystemError) -> Int32 {
    try count(use == .creating ? .create : .open)
    return try system.open(name, in: folder, for: use)
  }

  package func close(_ descriptor: Int32) {
    system.close(descriptor)
  }

  package func read(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int {
    let size = try count(.read, buffer.count)
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
    return try system.read(descriptor, into: part, at: offset)
  }

  package func write(
    _ descriptor: Int32,
    from buffer: UnsafeRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int {
    let size = try count(.write, buffer.count)
    let part = UnsafeRawBufferPointer(rebasing: buffer[..<size])
    let written = try system.write(descriptor, from: part, at: offset)
    if !part.starts(with: StoreLock.noteBeginning.utf8) {
      state.withLock { $0.bytesWritten += written }
    }
    try failIfDue()
    return written
  }

  package func sync(_ descriptor: Int32) throws(SystemError) {
    try count(.sync)
    if syncTime > 0 { Thread.sleep(forTimeInterval: syncTime) }
    try system.sync(descriptor)
    try failIfDue()
  }

  package func syncContent(_ descriptor: Int32) throws(SystemError) {
    try count(.sync)
    if syncTime > 0 { Thread.sleep(forTimeInterval: syncTime) }
    try system.syncContent(descriptor)
    try failIfDue()
  }

  package func rename(
    _ name: String,
    to newName: String,
    in folder: Int32
  ) throws(SystemError) {
    try count(.rename)
    try system.rename(name, to: newName, in: folder)
    try failIfDue()
  }

  package func link(
    _ name: String,
    to newName: String,
    in folder: Int32
  ) throws(SystemError) {
    try count(.rename)
    try system.link(name, to: newName, in: folder)
    try failIfDue()
  }

  package func removeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    try count(.unlink)
    try system.removeFolder(name, in: folder)
    try failIfDue()
  }

  package func unlink(_ name: String, in folder: Int32) throws(SystemError) {
    try count(.unlink)
    try system.unlink(name, in: folder)
    try failIfDue()
  }

  package func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    try count(.truncate)
    try system.truncate(descriptor, to: size)
    try failIfDue()
  }

  package func forget(_ descriptor: Int32, at offset: Int, count: Int) {
    state.withLock { $0.forgetCount += 1 }
    onForget?(Self.path(of: descriptor), offset..<offset + count)
    system.forget(descriptor, at: offset, count: count)
  }

  package func setMode(_ descriptor: Int32, to mode: UInt32) throws(SystemError) {
    try count(.setMode)
    try system.setMode(descriptor, to: mode)
    try failIfDue()
  }

  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    try count(.status)
    return try system.status(of: descriptor)
  }

  package func status(of name: String, in folder: Int32) throws(SystemError) -> FileStatus? {
    try count(.status)
    return try system.status(of: name, in: folder)
  }

  package func lock(_ descriptor: Int32, exclusively: Bool) throws(SystemError) -> Bool {
    try count(.lock)
    let isLocked = try system.lock(descriptor, exclusively: exclusively)
    if !isLocked { state.withLock { _ = $0.calls.popLast() } }
    return isLocked
  }

  package func unlock(_ descriptor: Int32) {
    system.unlock(descriptor)
  }

  package func extent(
    of name: String,
    in folder: Int32,
    withTime: Bool
  ) throws(SystemError) -> FileExtent? {
    try count(.status)
    return try system.extent(of: name, in: folder, withTime: withTime)
  }

  package func lock(
    _ descriptor: Int32,
    _ range: FileRange,
    _ kind: RangeLock
  ) throws(SystemError) -> Bool {
    // A release never fails.
    if kind != .none { try count(.lock) }
    let isLocked = try system.lock(descriptor, range, kind)
    if !isLocked { state.withLock { _ = $0.calls.popLast() } }
    return isLocked
  }

  package func hasProcessLock(
    _ descriptor: Int32,
    _ range: FileRange
  ) throws(SystemError) -> Bool {
    try system.hasProcessLock(descriptor, range)
  }
}
