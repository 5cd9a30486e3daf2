import Foundation

/// The system's calls on one file.
enum RawFile {
  /// Opens a file, creating it where there is none.
  static func opened(_ path: String, _ flags: Int32) throws -> Int32 {
    let descriptor = open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BenchmarkError("\(path) cannot be opened") }
    return descriptor
  }

  /// All bytes of a file.
  static func bytes(_ path: String) throws -> [UInt8] {
    let descriptor = try opened(path, O_RDONLY)
    defer { close(descriptor) }
    let size = Int(lseek(descriptor, 0, Int32(SEEK_END)))
    lseek(descriptor, 0, Int32(SEEK_SET))
    return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let read = read(descriptor, buffer.baseAddress.map { $0 + count }, size - count)
        guard read > 0 else { throw BenchmarkError("\(path) cannot be read") }
        count += read
      }
    }
  }

  /// Writes bytes at a descriptor's position and waits until the disk has them.
  static func writeDurably(_ bytes: [UInt8], _ descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 else { throw BenchmarkError("a file cannot be written") }
      rest = rest.dropFirst(written)
    }
    guard synced(descriptor) == 0 else { throw BenchmarkError("a file cannot be synced") }
  }

  /// Brings content and size to the disk, as the engine does.
  private static func synced(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      fsync(descriptor)
    #else
      fdatasync(descriptor)
    #endif
  }
}
