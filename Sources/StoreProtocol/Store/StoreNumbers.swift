/// The upper limit of a store's counters: keys, saves, and others that only grow.
public enum StoreNumbers {
  /// The greatest number that a file may name: far from any that was ever reached, and as far from
  /// where counting on would stop the program.
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
      "a new row cannot get the key \(key): the keys below \(next) may have been in use, and the "
        + "greatest is 2^62; leave the key out",
      entity: entity
    )
  }

  /// Refuses a save that would leave a number in the file which no opening takes.
  ///
  /// Only a file that somebody made by hand comes so far.
  ///
  /// - Parameters:
  ///   - number: The greatest number that the save would write.
  ///   - name: What is counted: `keys`, `saves`.
  ///   - file: The path of the store's file.
  /// - Throws: ``DataStoreError/notSaved``.
  public static func check(_ number: Int64, of name: String, file: String?) throws {
    guard number > greatest else { return }
    throw DataStoreError(
      .notSaved,
      "the store's count of its \(name) has come to its end, 2^62; nothing was saved: copy what the "
        + "store holds into a new one",
      file: file
    )
  }
}
