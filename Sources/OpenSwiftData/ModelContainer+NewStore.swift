import Foundation
import ModelLayer

extension ModelContainer {
  /// Copies everything into a new or empty store in a file, all of it or nothing.
  ///
  /// ```swift
  /// try container.copy(toNewStore: "sqlite:trips.db")
  /// ```
  ///
  /// The copy is written in a folder beside its place, `trips.db.copying`, and compared before the store
  /// gets its place. A process that is killed meanwhile leaves that folder and no store, and the next
  /// call begins anew. The objects keep their keys, and the next new object gets the key that it would
  /// get in this container.
  ///
  /// A store that is there and has no object is filled in the same way: it stays empty until all
  /// objects are written and compared. A JSON store that this process has open is closed by that.
  ///
  /// - Parameters:
  ///   - url: The URL of the store, whose scheme is one of stores in files.
  ///   - progress: Called after each batch with the number of objects copied and of all objects.
  /// - Returns: How many objects there are of each entity.
  /// - Throws: `DataStoreError.invalidConfiguration` if the store has objects already,
  ///   `DataStoreError.storeBusy` while another process makes it, and what
  ///   ``ModelContainer/copy(to:progress:)`` throws. The store is then missing or empty, as before.
  /// - Complexity: O(*n*) in the size of the stores; everything is written twice.
  @discardableResult
  public func copy(
    toNewStore url: String,
    progress: (_ copied: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> CopyReport {
    if FileManager.default.fileExists(atPath: try StoreURL(url).fileURL().path) {
      let configuration = try StoreScheme.configuration(for: url, schema: schema)
      return try copy(toEmptyStoreOf: configuration, progress: progress)
    }
    let staged = try StagedStore(url)
    let copy = try ModelContainer(for: schema, store: staged.url)
    let store = try StagedStore.maintainable(copy.stores.first)
    let report = try self.copy(to: copy, inParts: true, progress: progress)
    try staged.publish(store)
    return report
  }
}
