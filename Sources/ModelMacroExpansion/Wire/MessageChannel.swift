#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The two pipes to the compiler: each message is its length in eight bytes, then JSON.
struct MessageChannel {
  private static let headerLength = 8
  /// More than the length of any message: a longer one means that the two ends are out of sync.
  private static let lengthLimit = 1 << 30

  let input: Int32
  let output: Int32

  /// Reads the next message, or returns `nil` if the compiler has closed the pipe.
  func receive() -> [UInt8]? {
    guard let header = read(count: Self.headerLength) else { return nil }
    let length = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard length <= UInt64(Self.lengthLimit) else { return nil }
    return read(count: Int(length))
  }

  /// Writes one message, or returns `false` if the pipe has no reader any more.
  func send(_ message: [UInt8]) -> Bool {
    let length = UInt64(message.count)
    let header = (0..<UInt64(Self.headerLength)).map {
      UInt8(truncatingIfNeeded: length >> (8 * $0))
    }
    return write(header + message)
  }

  private func read(count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        systemRead(input, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      }
      guard got > 0 else { return nil }
      filled += got
    }
    return bytes
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var written = 0
    while written < bytes.count {
      let put = bytes.withUnsafeBytes { buffer in
        systemWrite(output, UnsafeRawBufferPointer(rebasing: buffer[written...]))
      }
      guard put > 0 else { return false }
      written += put
    }
    return true
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  var result: Int
  repeat {
    result = read(descriptor, buffer.baseAddress, buffer.count)
  } while result < 0 && errno == EINTR
  return result
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
  var result: Int
  repeat {
    result = write(descriptor, buffer.baseAddress, buffer.count)
  } while result < 0 && errno == EINTR
  return result
}
