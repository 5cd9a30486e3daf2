/// The preserved values of a deleted model: those of attributes declared to preserve their values.
// Unchecked: key paths are values that capture nothing but are not marked Sendable.
public struct HistoryTombstone<Model>: Sequence, @unchecked Sendable where Model: PersistentModel {
  /// The type of the values that iteration returns.
  public typealias Element = Any

  package let values: [(keyPath: PartialKeyPath<Model>, value: any Sendable)]

  /// Creates a tombstone.
  ///
  /// Stores of any kind may create one.
  ///
  /// - Parameter values: The preserved values, in the order of iteration.
  public init(_ values: [(keyPath: PartialKeyPath<Model>, value: any Sendable)] = []) {
    self.values = values
  }

  /// Returns an iterator over the preserved values in order.
  public func makeIterator() -> Iterator {
    Iterator(values: values.map(\.value).makeIterator())
  }

  /// An iterator over the preserved values of a tombstone.
  public struct Iterator: IteratorProtocol {
    fileprivate var values: IndexingIterator<[any Sendable]>

    /// Returns the next value, or `nil` at the end.
    public mutating func next() -> Any? { values.next() }
  }
}
