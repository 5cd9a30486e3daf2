import Foundation
import Synchronization

/// A buffered writer of strings to a file descriptor.
///
/// Writing never throws: the first failure is kept, later output is dropped, and ``flush()`` throws
/// the failure. A program that flushes before it ends therefore never reports success for output
/// that did not fit on a full disk.
package final class OutputWriter: Sendable {
  private struct State {
    var pending: [UInt8] = []
    var failure: Failure?
  }

  /// A write that the system refused.
  package struct Failure: Error, LocalizedError, CustomStringConvertible, Sendable {
    /// The system's error number.
    package let code: Int32

    /// One sentence that names the reason.
    package var description: String {
      "cannot write the output: \(String(cString: strerror(code)))"
    }

    /// The message for the user.
    package var errorDescription: String? { description }
  }

  private let descriptor: Int32?
  private let capacity: Int
  private let state = Mutex(State())

  /// Creates a writer for an open file descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: The open descriptor, or `nil` to keep everything in memory.
  ///   - capacity: The number of bytes to buffer before they are written; 0 writes at once.
  package init(descriptor: Int32?, capacity: Int = 65_536) {
    self.descriptor = descriptor
    self.capacity = capacity
  }

  /// The output that was not passed to a descriptor.
  package var pendingText: String {
    state.withLock { String(decoding: $0.pending, as: UTF8.self) }
  }

  /// Adds a string to the output.
  package func write(_ text: String) {
    state.withLock { state in
      guard state.failure == nil else { return }
      state.pending.append(contentsOf: text.utf8)
      if state.pending.count >= capacity { drain(&state) }
    }
  }

  /// Passes all buffered output to the system.
  ///
  /// - Throws: ``Failure`` if this or an earlier write was refused.
  package func flush() throws {
    let failure = state.withLock { state in
      drain(&state)
      return state.failure
    }
    if let failure { throw failure }
  }

  private func drain(_ state: inout State) {
    guard let descriptor, state.failure == nil else { return }
    state.failure = state.pending.withUnsafeBytes { Self.writeAll($0, to: descriptor) }
    state.pending.removeAll(keepingCapacity: true)
  }

  /// Writes until nothing is left; a signal in between is not a failure.
  private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Failure? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = Foundation.write(
        descriptor,
        UnsafeRawBufferPointer(rebasing: rest).baseAddress,
        rest.count
      )
      if written < 0 {
        if errno == EINTR { continue }
        return Failure(code: errno)
      }
      rest = rest.dropFirst(written)
    }
    return nil
  }
}
