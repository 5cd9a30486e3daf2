import CSQLite
import StoreHelpers

// The history counts a save that it records. Only other saves are counted in the store's own table.

extension Connection {
  /// The version of the data that the connection sees, which changes with each commit of any
  /// program.
  private var dataVersion: UInt32? {
    var version: UInt32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return code == SQLITE_OK ? version : nil
  }

  /// Assigns a number to the save that begins in the open transaction.
  ///
  /// The number is read from the file only if something was committed since this connection's last
  /// save.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if the earlier saves cannot be counted, or the error
  ///   of ``StoreNumbers`` if no number is left.
  func beginSave() throws {
    let last = lastSave
    lastSave = nil
    isAsLastSaveLeftIt = last != nil && last?.version == dataVersion
    let saves =
      if isAsLastSaveLeftIt, let last { last.number } else { try HistoryTable.saves(on: self) }
    let number = saves + 1
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

  /// Notes that the save that was counted is committed.
  func endSave() {
    lastSave = dataVersion.map { (save, $0) }
  }
}
