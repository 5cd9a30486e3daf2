import StoreProtocol

extension StoreChange {
  /// The changed properties with the part of the save that changed them.
  ///
  /// The form is ` name, owner (delete rule)`, or an empty string for a change with neither.
  var shownDetails: String {
    var text = properties.isEmpty ? "" : " "
    text += properties.map { name in
      cause == .program && clearedProperties.contains(name) ? "\(name) (delete rule)" : name
    }.joined(separator: ", ")
    switch cause {
    case .program: return text
    case .deleteRule: return text + " (delete rule)"
    case .merge: return text + " (merged)"
    }
  }
}

extension StoreTransaction.Changes {
  /// The number of rows with consecutive keys that are shown one by one.
  ///
  /// A file of a few bytes can state thousands of millions of them.
  private static let longestRange = 100

  /// The changes to show, and for many rows with consecutive keys the first change and the last row.
  var shown: [(change: StoreChange, last: PersistentIdentifier?)] {
    ranges.flatMap { range in
      range.count > Self.longestRange
        ? [(self[range.lowerBound], self[range.upperBound - 1].identifier)]
        : range.map { (self[$0], nil) }
    }
  }
}
