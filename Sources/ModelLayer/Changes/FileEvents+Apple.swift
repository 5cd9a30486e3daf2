#if canImport(Darwin)
  import Darwin
  import Dispatch
  import Foundation

  // Written for Apple's systems by their documentation; no build of the project has run it yet.

  /// Notifies of changes of a file, or of another beside it that belongs to a SQLite database.
  ///
  /// Unchecked: sources may be used on any thread, but are not declared Sendable.
  final class FileEvents: @unchecked Sendable {
    private let sources: [any DispatchSourceFileSystemObject]

    /// Begins to watch, or returns `nil` if the system refuses.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - queue: The queue of the handler.
    ///   - handler: Called after one or several changes.
    init?(of file: URL, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
      // Not the database itself: closing a descriptor of it would drop SQLite's locks.
      sources = [file.path + "-wal", file.deletingLastPathComponent().path].compactMap { path in
        let descriptor = open(path, O_EVTONLY)
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor,
          eventMask: [.write, .extend],
          queue: queue
        )
        source.setEventHandler { handler() }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        return source
      }
      if sources.isEmpty { return nil }
    }

    deinit {
      for source in sources { source.cancel() }
    }
  }
#endif
