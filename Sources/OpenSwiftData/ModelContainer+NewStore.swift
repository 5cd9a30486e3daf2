import Foundation
import ModelLayer

extension ModelContainer {
  /// Copies everything into a new or empty store in a file, all or nothing.
  ///
  /// ```swift
  /// try container.copy(toNewStore: "sqlite:trips.db")
  /// ```
  ///
  /// The copy is written in a folder beside the store, `trips.db.copying`, and compared before it
  /// is moved to the store's path. A process that is killed meanwhile leaves that folder and no
  /// store, and the next call starts again. The objects keep their keys, and the next new object
  /// gets the key that it would get in this container.
  ///
  /// An existing store without objects is filled in the same way: it stays empty until all objects
  /// are written and compared. If this process has a JSON store open, the copy closes it.
  ///
  /// - Parameters:
  ///   - url: The URL of the store, whose scheme is one of stores in files.
  ///   - progress: Called after each batch with the number of objects copied and of all objects.
  /// - Returns: The number of objects of each entity, and whether they keep their keys.
  /// - Throws: `DataStoreError.invalidConfiguration` if the store has objects already,
  ///   `DataStoreError.storeBusy` while another process creates it, and errors of
  ///   ``ModelContainer/copy(to:progress:)``. The store is then missing or empty, as before.
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
