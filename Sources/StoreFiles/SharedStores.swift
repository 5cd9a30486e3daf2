import Synchronization

/// The stores of one kind that are open in this process, one for each file.
///
/// A lock belongs to an open file, so that a second store on the same file would wait for the
/// first forever, or be refused. Whoever opens a file that is open gets the store that is there.
package final class SharedStores<Store: AnyObject & Sendable>: Sendable {
  /// What tells a file apart: the folder as the system knows it, and the name in it.
  private struct Key: Hashable {
    let device: UInt64
    let inode: UInt64
    let name: String
  }

  private struct Entry {
    weak var store: Store?
  }

  private let entries = Mutex<[Key: Entry]>([:])

  /// Creates a registry; keep one for each kind of store in the process.
  package init() {}

  /// The store that is open on a file, or a new one.
  ///
  /// Only one caller at a time opens. The registry does not keep a store alive.
  ///
  /// - Parameters:
  ///   - name: The store's file.
  ///   - folder: The folder of the store.
  ///   - isUsable: Whether a store that is open can be shared, rather than replaced.
  ///   - open: Opens the store.
  /// - Returns: The store, which is open.
  /// - Throws: What `isUsable` or `open` throws, or ``FileError``.
  package func store(
    _ name: String,
    in folder: Folder,
    isUsable: (Store) throws -> Bool = { _ in true },
    open: () throws -> Store
  ) throws -> Store {
    let status = try folder.status()
    let key = Key(device: status.device, inode: status.inode, name: name)
    return try entries.withLock { entries in
      if let store = entries[key]?.store, try isUsable(store) { return store }
      entries = entries.filter { $0.value.store != nil }
      let store = try open()
      entries[key] = Entry(store: store)
      return store
    }
  }
}
