import Synchronization

/// The stores of one kind that are open in this process, one for each file.
///
/// A lock belongs to an open file, so a second store on the same file would wait for the first
/// forever, or fail. A caller that opens a file a second time gets the existing store.
package final class SharedStores<Store: AnyObject & Sendable>: Sendable {
  /// The identity of the folder, and the name in it.
  private struct Key: Hashable {
    let folder: FileIdentity
    let name: String
  }

  private struct WeakStore {
    weak var store: Store?
  }

  /// One file.
  ///
  /// Its lock is held while the file is opened, which may wait for another process.
  private final class Slot: Sendable {
    let content = Mutex(WeakStore())
  }

  private struct Entry {
    let slot = Slot()
    /// The number of callers that use the slot.
    var users = 0
  }

  /// Locked only briefly, never while a file is opened.
  private let entries = Mutex<[Key: Entry]>([:])

  /// Creates a registry; keep one for each kind of store in the process.
  package init() {}

  /// Returns the store that is open on a file, or a new one.
  ///
  /// One caller at a time opens a file; other files can be opened meanwhile. The registry does not
  /// retain a store.
  ///
  /// - Parameters:
  ///   - name: The store's file.
  ///   - folder: The folder of the store.
  ///   - isUsable: A closure that returns whether an open store can be shared instead of replaced.
  ///   - open: A closure that opens the store.
  /// - Returns: The open store.
  /// - Throws: The errors of `isUsable` or `open`, or ``FileError``.
  package func store(
    _ name: String,
    in folder: Folder,
    isUsable: (Store) throws -> Bool = { _ in true },
    open: () throws -> Store
  ) throws -> Store {
    let key = Key(folder: try folder.status().identity, name: name)
    let slot = enter(key)
    defer { leave(key) }
    return try slot.content.withLock { content in
      if let store = content.store, try isUsable(store) { return store }
      let store = try open()
      content.store = store
      return store
    }
  }

  private func enter(_ key: Key) -> Slot {
    entries.withLock { entries in
      entries[key, default: Entry()].users += 1
      return entries[key, default: Entry()].slot
    }
  }

  /// Removes files without a store that no caller is opening.
  private func leave(_ key: Key) {
    entries.withLock { entries in
      entries[key]?.users -= 1
      entries = entries.filter { entry in
        entry.value.users > 0 || entry.value.slot.content.withLock { $0.store != nil }
      }
    }
  }
}
