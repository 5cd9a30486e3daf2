import StoreHelpers
import StoreProtocol

extension StoreVerification {
  /// Records the problems of a transaction in the document.
  mutating func inspect(_ line: HistoryLine, nextKey: Int64) {
    do {
      let record = try line.record(file: core.path)
      let greatest = record.groups.compactMap(\.keys.ranges.last?.upperBound).max() ?? 0
      guard greatest >= nextKey else { return }
      note(
        StoreProblem(
          "transaction \(line.number) of the history names a key that was never assigned",
          file: core.path
        )
      )
    } catch {
      note(error, file: core.path)
    }
  }
}
