import Foundation
import StoreProtocol

// Sort descriptors for values that stores order and Swift's standard library does not.

extension SortDescriptor where Compared: PersistentModel {
  /// Creates a descriptor that orders by the stored value of a property: a Boolean (false first) or
  /// the raw value of an enumeration.
  ///
  /// Absent values come first.
  ///
  /// ```swift
  /// FetchDescriptor<Chore>(sortBy: [SortDescriptor(storedValue: \.isDone)])
  /// ```
  ///
  /// It has a label because overloads without one would make lists of descriptors slow to compile.
  /// A fetch throws `SwiftDataError.unsupportedSortDescriptor` if the stored value has no order.
  public init<Value>(storedValue keyPath: KeyPath<Compared, Value>, order: SortOrder = .forward) {
    let path = OrderedPath(keyPath: keyPath)
    let made: KeyPath<Compared, OrderedValue> & Sendable = \Compared.[_$ordered: path]
    KeyPathSteps.note(made, StoredOrder.holds(for: Value.self) ? KeyPathSteps.of(keyPath) : nil)
    self.init(made, order: order)
  }
}

/// A key path as a subscript argument.
// Unchecked: key paths are immutable, but only some of them are marked Sendable.
private struct OrderedPath: Hashable, @unchecked Sendable {
  let keyPath: AnyKeyPath
}

extension PersistentModel {
  fileprivate subscript(_$ordered path: OrderedPath) -> OrderedValue {
    OrderedValue(value: self[keyPath: path.keyPath].flatMap(StoreValue.init(captured:)) ?? .null)
  }
}
