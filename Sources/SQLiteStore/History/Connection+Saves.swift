import StoreHelpers

// The history counts a save that it records. Only other saves are counted in the store's own table.

extension Connection {
  /// Assigns a number to the save that begins in the open transaction.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if the earlier saves cannot be counted, or the error
  ///   of ``StoreNumbers`` if no number is left.
  func beginSave() throws {
    let number = try HistoryTable.saves(on: self) + 1
    try StoreNumbers.check(number, of: "saves", file: nil)
    save = number
    isSaveInHistory = false
  }

  /// Notes that a number is in the history, as that of a transaction or of the cut.
  func noteInHistory(_ number: Int64) {
    if number == save { isSaveInHistory = true }
  }

  /// Counts the save that was begun, unless the history does.
  func countSave() throws {
    if !isSaveInHistory { try Metadata.set(.saves, to: .integer(save), on: self) }
  }
}
