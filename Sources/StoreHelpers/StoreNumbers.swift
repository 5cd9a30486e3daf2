import StoreProtocol

/// The upper limit of a store's counters: keys, saves, and others that only increase.
public enum StoreNumbers {
  /// The greatest number that a file may contain: far from any number in practice, and equally far
  /// from an overflow.
  public static let greatest: Int64 = 1 << 62

  /// Checks the key that a batch gives a new row.
  ///
  /// - Parameters:
  ///   - key: The key, from ``StoreChanges/keys``.
  ///   - next: The key that the row would get otherwise.
  ///   - entity: The entity of the row.
  /// - Throws: ``DataStoreError/invalidValue`` for a key that may have been in use.
  public static func check(_ key: Int64, from next: Int64, of entity: String) throws {
    guard key < next || key >= greatest else { return }
    throw DataStoreError(
      .invalidValue,
      "a new row cannot get the key \(key): keys below \(next) may have been used, and the "
        + "greatest key is 2^62; omit the key",
      entity: entity
    )
  }

  /// Throws if a save would write a number to the file that could not be opened again.
  ///
  /// Only a manually created file reaches this limit.
  ///
  /// - Parameters:
  ///   - number: The greatest number that the save would write.
  ///   - name: The name of the counter: `keys`, `saves`.
  ///   - file: The path of the store's file.
  /// - Throws: ``DataStoreError/notSaved``.
  public static func check(_ number: Int64, of name: String, file: String?) throws {
    guard number > greatest else { return }
    throw DataStoreError(
      .notSaved,
      "the store's counter of \(name) has reached its limit, 2^62; nothing was saved: copy the "
        + "store's contents into a new store",
      file: file
    )
  }
}
