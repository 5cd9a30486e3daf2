import StoreProtocol
import Synchronization

/// The key paths that were created for sort descriptors, with the properties that they refer to.
///
/// A sort descriptor requires a key path to a comparable value. There is none for a property that
/// is only known by its name, nor for a Boolean. Instead, its key path uses a subscript that
/// returns the value in its order, and this type records the property.
enum SortPaths {
  private struct Path: Hashable, @unchecked Sendable {
    // Unchecked: key paths are immutable, and these capture values that are Sendable.
    let keyPath: AnyKeyPath
  }

  private static let cache = Mutex<[Path: KeyPathSteps]>([:])

  /// Records a key path; `nil` means a value that stores do not support.
  static func note(_ keyPath: AnyKeyPath, _ steps: KeyPathSteps?) {
    cache.withLock { $0[Path(keyPath: keyPath)] = steps }
  }

  /// Returns the property that such a key path refers to, or `nil` for any other key path.
  static func steps(of keyPath: AnyKeyPath) -> KeyPathSteps? {
    guard type(of: keyPath).valueType == OrderedValue.self else { return nil }
    return cache.withLock { $0[Path(keyPath: keyPath)] }
  }
}

struct OrderedValue: Comparable, Sendable {
  let value: StoreValue

  static func == (lhs: Self, rhs: Self) -> Bool {
    StoreValue.sortOrder(lhs.value, rhs.value) == 0
  }

  static func < (lhs: Self, rhs: Self) -> Bool { StoreValue.sortOrder(lhs.value, rhs.value) < 0 }
}
