import Synchronization

/// An access to files in which chosen calls fail, for tests of what stores do then.
package final class FaultyFileAccess: FileAccess {
  /// Which calls fail, and how.
  package enum Fault: Hashable, Sendable {
    /// Nothing fails.
    case none
    /// One call fails.
    case once(call: Int, code: Int32)
    /// A call and all after it fail.
    case from(call: Int, code: Int32)
    /// One call does its work and reports a failure nevertheless.
    case late(call: Int, code: Int32)
    /// A write takes only the first half of its bytes, then all calls fail.
    case torn(call: Int, code: Int32)
    /// Every call is interrupted once and every transfer is cut to a few bytes; all goes on.
    case halting(bytes: Int)
    /// The process is killed in the place of one call.
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

  /// What is told of a part of a file that the system was asked to forget.
  package typealias ForgetObserver = @Sendable (_ path: String, _ range: Range<Int>) -> Void

  private let system = SystemFileAccess()
  private let state: Mutex<State>
  private let onForget: ForgetObserver?

  /// Creates an access with a fault.
  package init(_ fault: Fault = .none, onForget: ForgetObserver? = nil) {
    state = Mutex(State(fault: fault))
    self.onForget = onForget
  }

  /// The calls made so far, failed ones included; closing does not count, and neither does asking for
  /// a lock that another has: how often that happens is not the store's doing.
  package var calls: [FileError.Operation] { state.withLock { $0.calls } }

  /// How many bytes were written so far.
  ///
  /// The note of who holds a lock is left out: its length is that of a process's number and name.
  package var bytesWritten: Int { state.withLock { $0.bytesWritten } }

  /// How often the system was asked to forget a part of a file.
  package var forgetCount: Int { state.withLock { $0.forgetCount } }

  /// Forgets the calls and sets another fault.
  package func reset(_ fault: Fault = .none) {
    state.withLock { $0 = State(fault: fault) }
  }

  /// Counts a call and fails it when the fault says so.
  ///
  /// - Returns: How many bytes of a transfer of `count` to make.
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
      case .killing(let call) where call == state.calls.count - 1: Syscalls.killProcess()
      case .halting(let bytes):
        state.wasInterrupted.toggle()
        if state.wasInterrupted { return .failure(SystemError(code: Syscalls.interrupted)) }
        return .success(min(count, bytes))
      default: break
      }
      return .success(count)
    }
    return try result.get()
  }

  /// Fails after a call that did its work, when the fault says so.
  private func settle() throws(SystemError) {
    let code = state.withLock { state -> Int32? in
      if case .late(state.calls.count - 1, let code) = state.fault { return code }
      return nil
    }
    if let code { throw SystemError(code: code) }
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
    try settle()
  }

  package func openFolder(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
    try count(.openFolder)
    return try system.openFolder(name, in: folder)
  }

  package func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    try count(.makeFolder)
    try system.makeFolder(name, in: folder)
    try settle()
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
    try settle()
    return written
  }

  package func sync(_ descriptor: Int32) throws(SystemError) {
    try count(.sync)
    try system.sync(descriptor)
    try settle()
  }

  package func syncContent(_ descriptor: Int32) throws(SystemError) {
    try count(.sync)
    try system.syncContent(descriptor)
    try settle()
  }

  package func rename(
    _ name: String,
    to newName: String,
    in folder: Int32
  ) throws(SystemError) {
    try count(.rename)
    try system.rename(name, to: newName, in: folder)
    try settle()
  }

  package func link(
    _ name: String,
    to newName: String,
    in folder: Int32
  ) throws(SystemError) {
    try count(.rename)
    try system.link(name, to: newName, in: folder)
    try settle()
  }

  package func removeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    try count(.unlink)
    try system.removeFolder(name, in: folder)
    try settle()
  }

  package func unlink(_ name: String, in folder: Int32) throws(SystemError) {
    try count(.unlink)
    try system.unlink(name, in: folder)
    try settle()
  }

  package func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    try count(.truncate)
    try system.truncate(descriptor, to: size)
    try settle()
  }

  package func forget(_ descriptor: Int32, at offset: Int, count: Int) {
    state.withLock { $0.forgetCount += 1 }
    onForget?(Syscalls.path(of: descriptor) ?? "", offset..<offset + count)
    system.forget(descriptor, at: offset, count: count)
  }

  package func setMode(_ descriptor: Int32, to mode: UInt32) throws(SystemError) {
    try count(.setMode)
    try system.setMode(descriptor, to: mode)
    try settle()
  }

  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    try count(.status)
    return try system.status(of: descriptor)
  }

  package func status(of name: String, in folder: Int32) throws(SystemError) -> FileStatus {
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

  package func extent(of name: String, in folder: Int32) throws(SystemError) -> FileExtent {
    try count(.status)
    return try system.extent(of: name, in: folder)
  }

  package func lock(
    _ descriptor: Int32,
    _ range: FileRange,
    _ kind: RangeLock
  ) throws(SystemError) -> Bool {
    // Releasing never fails.
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
