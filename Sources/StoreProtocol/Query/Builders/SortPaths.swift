import Synchronization

/// Key paths that were made for sort descriptors, and what they lead to.
///
/// A sort descriptor takes a key path to a comparable value. There is none to a property that is known
/// by its name alone, nor to a truth value. There is one of a subscript that gives the value in its
/// order; what that leads to is noted here.
enum SortPaths {
  private struct Path: Hashable, @unchecked Sendable {
    // Unchecked: key paths are immutable, and these capture values that are Sendable.
    let keyPath: AnyKeyPath
  }

  private static let known = Mutex<[Path: KeyPathSteps]>([:])

  /// Takes note of a key path; nil leads to what no store knows.
  static func note(_ keyPath: AnyKeyPath, _ steps: KeyPathSteps?) {
    known.withLock { $0[Path(keyPath: keyPath)] = steps }
  }

  /// What such a key path leads to, nil for any other.
  static func steps(of keyPath: AnyKeyPath) -> KeyPathSteps? {
    guard type(of: keyPath).valueType == OrderedValue.self else { return nil }
    return known.withLock { $0[Path(keyPath: keyPath)] }
  }
}

/// A value in the order of a sort.
struct OrderedValue: Comparable, Sendable {
  let value: StoreValue

  static func == (lhs: Self, rhs: Self) -> Bool {
    StoreValue.sortOrder(lhs.value, rhs.value) == 0
  }

  static func < (lhs: Self, rhs: Self) -> Bool { StoreValue.sortOrder(lhs.value, rhs.value) < 0 }
}
