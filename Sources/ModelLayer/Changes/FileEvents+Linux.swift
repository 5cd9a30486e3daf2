#if canImport(Glibc)
  import Dispatch
  import Foundation
  import Glibc
  import Synchronization

  /// Notifies of changes of a file, or of another in its folder whose name contains the file's
  /// name.
  final class FileEvents: Sendable {
    private let events: FolderEvents
    private let number: Int

    /// Begins to watch by inotify, or returns `nil` if the system refuses.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - queue: The queue of the handler.
    ///   - handler: Called after one or several changes.
    init?(of file: URL, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
      guard let events = FolderEvents.shared else { return nil }
      let name = Array(file.lastPathComponent.utf8)
      let found = events.add(folder: file.deletingLastPathComponent().path) { names in
        guard names.contains(where: { $0.contains(name) }) else { return }
        queue.async(execute: handler)
      }
      guard let found else { return nil }
      (self.events, number) = (events, found)
    }

    deinit { events.remove(number) }
  }

  /// The process's one inotify instance.
  ///
  /// By default the system allows 128 instances per user, and the descriptor of a dispatch source
  /// is closed some time after its user has ended. Programs whose observers come and go would run
  /// out of them.
  ///
  /// Unchecked: a source may be used on any thread, but is not declared Sendable.
  private final class FolderEvents: @unchecked Sendable {
    private struct Listener {
      let folder: Int32
      let handler: @Sendable ([ArraySlice<UInt8>]) -> Void
    }

    private struct State {
      var listeners: [Int: Listener] = [:]
      var count = 0
    }

    private static let made = Mutex<FolderEvents?>(nil)

    /// The instance, opened on first access, or `nil` if the system refuses.
    static var shared: FolderEvents? {
      made.withLock { made in
        made = made ?? FolderEvents()
        return made
      }
    }

    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let state = Mutex(State())

    private init?() {
      descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      let queue = DispatchQueue(label: "FolderEvents", qos: .utility)
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { [weak self] in self?.report() }
      source.activate()
    }

    /// Adds a listener to a folder.
    ///
    /// - Returns: Its number, or `nil` if the system refuses.
    func add(
      folder: String,
      _ handler: @escaping @Sendable ([ArraySlice<UInt8>]) -> Void
    ) -> Int? {
      // A log grows before its commit counts; a writer closes its files after that.
      let changes = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO)
      return state.withLock { state in
        // One folder has one number, however often it is added.
        let folder = inotify_add_watch(descriptor, folder, changes)
        guard folder >= 0 else { return nil }
        state.count += 1
        state.listeners[state.count] = Listener(folder: folder, handler: handler)
        return state.count
      }
    }

    /// Removes a listener, and with the last one of a folder the folder.
    func remove(_ number: Int) {
      state.withLock { state in
        guard let ended = state.listeners.removeValue(forKey: number),
          !state.listeners.values.contains(where: { $0.folder == ended.folder })
        else { return }
        inotify_rm_watch(descriptor, ended.folder)
      }
    }

    private func report() {
      var names: [Int32: [ArraySlice<UInt8>]] = [:]
      var bytes = [UInt8](repeating: 0, count: 16 << 10)
      while true {
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { break }
        Self.add(bytes.prefix(count), to: &names)
      }
      let listeners = state.withLock { Array($0.listeners.values) }
      for listener in listeners { names[listener.folder].map(listener.handler) }
    }

    /// Parses events of 16 bytes and a name each.
    ///
    /// The first four bytes are the number of the folder, and the last four the length of the name.
    /// The name follows, padded with zeros.
    private static func add(
      _ bytes: ArraySlice<UInt8>,
      to names: inout [Int32: [ArraySlice<UInt8>]]
    ) {
      var rest = bytes
      while rest.count >= 16 {
        let (folder, length) = rest.withUnsafeBytes {
          ($0.loadUnaligned(as: Int32.self), $0.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        }
        rest = rest.dropFirst(16)
        guard rest.count >= length else { break }
        names[folder, default: []].append(rest.prefix(Int(length)).prefix { $0 != 0 })
        rest = rest.dropFirst(Int(length))
      }
    }
  }
#elseif !canImport(Darwin)
  import Dispatch
  import Foundation

  /// A stand-in for file events on other systems, where stores are polled instead.
  final class FileEvents: Sendable {
    /// Always returns `nil`.
    init?(of file: URL, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
      return nil
    }
  }
#endif
