#if canImport(Glibc)
  import Dispatch
  import Foundation
  import Glibc

  /// Tells when a file changes, or another in its folder whose name has the file's name in it.
  final class FileEvents: @unchecked Sendable {
    // Unchecked: a source may be used on any thread, and is not marked so.
    private let source: any DispatchSourceRead

    /// Begins to tell, by inotify; nil where the system refuses.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - queue: Where to call the handler.
    ///   - handler: What to call after one or several changes.
    init?(of file: URL, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
      let descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      // A log grows before its commit counts; closing what a writer held comes after.
      let changes = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO)
      let folder = file.deletingLastPathComponent().path
      guard inotify_add_watch(descriptor, folder, changes) >= 0 else {
        close(descriptor)
        return nil
      }
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      let name = Array(file.lastPathComponent.utf8)
      source.setEventHandler {
        if Self.takeNames(from: descriptor).contains(where: { $0.contains(name) }) { handler() }
      }
      source.setCancelHandler { close(descriptor) }
      source.activate()
    }

    deinit {
      source.cancel()
    }

    /// The names of changed files, as bytes.
    private static func takeNames(from descriptor: Int32) -> [[UInt8]] {
      var names: [[UInt8]] = []
      var bytes = [UInt8](repeating: 0, count: 16 << 10)
      while true {
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return names }
        names += Self.names(in: bytes.prefix(count))
      }
    }

    /// An event is 16 bytes, the last four the length of the name behind them, which ends with zeros.
    private static func names(in bytes: ArraySlice<UInt8>) -> [[UInt8]] {
      var names: [[UInt8]] = []
      var rest = bytes
      while rest.count >= 16 {
        let length = rest.dropFirst(12).prefix(4)
          .withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
        guard rest.count >= 16 + length else { break }
        names.append(Array(rest.dropFirst(16).prefix(length).prefix { $0 != 0 }))
        rest = rest.dropFirst(16 + length)
      }
      return names
    }
  }
#elseif !canImport(Darwin)
  import Dispatch
  import Foundation

  /// Would tell when a file changes; here stores are asked now and then instead.
  final class FileEvents: Sendable {
    /// Never begins.
    init?(of file: URL, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
      return nil
    }
  }
#endif
