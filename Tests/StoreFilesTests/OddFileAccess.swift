@testable import StoreFiles

/// The file system with some of its calls done in another way, as no system promises not to.
final class OddFileAccess: FileAccess {
  /// What is odd.
  enum Oddity {
    /// Writes take no byte and say so.
    case writesNothing
    /// Folders within folders are said to be made and are not.
    case makesNoFolder
  }

  private let system = SystemFileAccess()
  private let oddity: Oddity

  /// Creates an access with an oddity.
  init(_ oddity: Oddity) {
    self.oddity = oddity
  }

  func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    if case .makesNoFolder = oddity { return }
    try system.makeFolder(name, in: folder)
  }

  func write(
    _ descriptor: Int32,
    from buffer: UnsafeRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int {
    if case .writesNothing = oddity { return 0 }
    return try system.write(descriptor, from: buffer, at: offset)
  }
}

// The rest as it is.
extension OddFileAccess {
  func openFolder(_ path: String) throws(SystemError) -> Int32 { try system.openFolder(path) }

  func makeFolder(_ path: String) throws(SystemError) { try system.makeFolder(path) }

  func openFolder(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
    try system.openFolder(name, in: folder)
  }

  func names(in folder: Int32) throws(SystemError) -> [String] {
    try system.names(in: folder)
  }

  func open(
    _ name: String,
    in folder: Int32,
    for use: FileUse
  ) throws(SystemError) -> Int32 {
    try system.open(name, in: folder, for: use)
  }

  func close(_ descriptor: Int32) { system.close(descriptor) }

  func read(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer,
    at offset: Int
  ) throws(SystemError) -> Int {
    try system.read(descriptor, into: buffer, at: offset)
  }

  func sync(_ descriptor: Int32) throws(SystemError) { try system.sync(descriptor) }

  func syncContent(_ descriptor: Int32) throws(SystemError) {
    try system.syncContent(descriptor)
  }

  func rename(
    _ name: String,
    to newName: String,
    in folder: Int32
  ) throws(SystemError) {
    try system.rename(name, to: newName, in: folder)
  }

  func link(
    _ name: String,
    to newName: String,
    in folder: Int32
  ) throws(SystemError) {
    try system.link(name, to: newName, in: folder)
  }

  func removeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    try system.removeFolder(name, in: folder)
  }

  func unlink(_ name: String, in folder: Int32) throws(SystemError) {
    try system.unlink(name, in: folder)
  }

  func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    try system.truncate(descriptor, to: size)
  }

  func setMode(_ descriptor: Int32, to mode: UInt32) throws(SystemError) {
    try system.setMode(descriptor, to: mode)
  }

  func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    try system.status(of: descriptor)
  }

  func status(of name: String, in folder: Int32) throws(SystemError) -> FileStatus {
    try system.status(of: name, in: folder)
  }

  func lock(_ descriptor: Int32, exclusively: Bool) throws(SystemError) -> Bool {
    try system.lock(descriptor, exclusively: exclusively)
  }

  func unlock(_ descriptor: Int32) { system.unlock(descriptor) }
}
