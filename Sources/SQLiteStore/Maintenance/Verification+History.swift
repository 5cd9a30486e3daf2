import StoreHelpers
import StoreProtocol

extension Verification {
  /// Reads every transaction of the history, and compares its number and keys with the store's
  /// counters.
  func checkHistory(_ counters: Counters) throws {
    guard try HistoryTable.exists(on: connection) else { return }
    do {
      _ = try HistoryTable.bounds(of: "", on: connection)
    } catch let error as DataStoreError where error == .storeDamaged {
      found.note(StoreProblem(error.message, file: file))
    }
    try forEachRow("SELECT number, changes FROM \"_history\" ORDER BY number") {
      let number = $0.integer(at: 0)
      guard let groups = $0.text(at: 1).flatMap(HistoryReader.groups) else {
        return note("cannot be read", number)
      }
      if !(1...StoreNumbers.greatest).contains(number) {
        note("has a number that no save has", number)
      }
      let greatest = groups.compactMap(\.keys.ranges.last?.upperBound).max() ?? 0
      if let next = counters.nextKey, greatest >= next {
        note("names a key that was never assigned", number)
      }
    }
  }

  private func note(_ problem: String, _ number: Int64) {
    found.note(StoreProblem("transaction \(number) of the history \(problem)", file: file))
  }
}
