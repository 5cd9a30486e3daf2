import StoreProtocol

extension RandomAccessCollection where Index == Int {
  /// Returns the runs of consecutive elements of one entity, in order, by the scopes of their
  /// identifiers.
  ///
  /// The batch of a save is mostly of one entity. So data of an entity is looked up once a run and
  /// not once a row.
  func entityRuns(
    _ scope: (Element) -> PersistentIdentifier.Scope
  ) -> [(entity: String, range: Range<Int>)] {
    var runs: [(entity: String, range: Range<Int>)] = []
    var start = startIndex
    while start < endIndex {
      let first = scope(self[start])
      var end = start + 1
      while end < endIndex {
        let next = scope(self[end])
        guard next === first || next.entityName == first.entityName else { break }
        end += 1
      }
      runs.append((first.entityName, start..<end))
      start = end
    }
    return runs
  }
}
