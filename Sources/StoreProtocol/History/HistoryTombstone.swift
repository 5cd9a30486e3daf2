/// The preserved values of a deleted model: those of attributes declared to preserve their values.
// Unchecked: key paths are values that capture nothing but are not marked Sendable.
public struct HistoryTombstone<Model>: Sequence, @unchecked Sendable where Model: PersistentModel {
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
  public func makeIterator() -> AnyIterator<Any> {
    var values = values.makeIterator()
    return AnyIterator { values.next()?.value }
  }
}
