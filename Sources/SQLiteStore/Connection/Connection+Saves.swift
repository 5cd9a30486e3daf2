import StoreProtocol

// A save that the history tells of is counted by that. Only another is counted in the store's own table.

extension Connection {
  /// Gives the save that begins in the open transaction its number.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` when the saves before cannot be counted, or the error of
  ///   ``StoreNumbers`` where no number is left.
  func beginSave() throws {
    let number = try Metadata.saves(from: self) + 1
    try StoreNumbers.check(number, of: "saves", file: nil)
    save = number
    isSaveInHistory = false
  }

  /// Notes a number that is in the history, of a transaction or of the cut.
  func noteInHistory(_ number: Int64) {
    if number == save { isSaveInHistory = true }
  }

  /// Counts the save that was begun.
  func countSave() throws {
    if !isSaveInHistory { try Metadata.set(.saves, to: save, on: self) }
  }
}
