extension StoreTransaction {
  /// The changes of a transaction, one for each row.
  ///
  /// Files contain the keys of rows as ranges, so a save of a million new rows takes a few bytes
  /// there. This collection keeps the ranges and creates a change on access. Its memory is
  /// proportional to the file's data, not to the number of changes.
  ///
  /// - Complexity: Access by index is O(log *n*) in the number of ranges.
  public struct Changes: RandomAccessCollection, Sendable {
    /// A range of keys.
    private struct Run {
      let group: Int
      let firstKey: Int64
      /// The index of the range's first change, and of its group's first change.
      let start: Int
      let groupStart: Int
    }

    private let made: [StoreChange]
    private let groups: [HistoryGroup]
    private let runs: [Run]
    private let store: String
    /// The index after the last change.
    public let endIndex: Int

    /// Creates a collection of changes in memory.
    package init(_ changes: [StoreChange] = []) {
      (made, groups, runs, store) = (changes, [], [], "")
      endIndex = changes.count
    }

    /// Creates the changes of groups.
    package init(_ groups: [HistoryGroup], storeIdentifier: String) {
      var runs: [Run] = []
      var start = 0
      for (number, group) in groups.enumerated() {
        let groupStart = start
        for range in group.keys.ranges {
          runs.append(
            Run(group: number, firstKey: range.lowerBound, start: start, groupStart: groupStart)
          )
          start += Int(range.upperBound - range.lowerBound) + 1
        }
      }
      (made, self.groups, self.runs, store, endIndex) = ([], groups, runs, storeIdentifier, start)
    }

    /// The indices of the changes, in ranges that differ by consecutive keys and by values only.
    package var ranges: [Range<Int>] {
      if runs.isEmpty { return made.indices.map { $0..<$0 + 1 } }
      return zip(runs, runs.dropFirst().map(\.start) + [count]).map { $0.start..<$1 }
    }

    /// Returns whether rows of any of the given entities were changed, without creating changes.
    func concern(anyOf entities: Set<String>) -> Bool {
      groups.contains { entities.contains($0.entity) }
        || made.contains { entities.contains($0.identifier.entityName) }
    }

    /// The index of the first change.
    public var startIndex: Int { 0 }

    /// The change at an index.
    public subscript(index: Int) -> StoreChange {
      precondition(indices.contains(index), "The index of a change is out of range.")
      if runs.isEmpty { return made[index] }
      // The last range that starts at or before the index.
      let run = runs[runs.partitioningIndex { $0.start > index } - 1]
      return groups[run.group].change(
        run.firstKey + Int64(index - run.start),
        at: index - run.groupStart,
        in: store
      )
    }
  }
}

extension StoreTransaction.Changes: Equatable {
  /// Compares the changes one by one.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.count == rhs.count && lhs.elementsEqual(rhs)
  }
}
