/// What is left of a deleted model: the values of the attributes that preserve theirs.
public struct HistoryTombstone<Model>: Sequence, @unchecked Sendable where Model: PersistentModel {
  // Unchecked: key paths are values that capture nothing but are not marked Sendable.

  /// The type of what iteration gives.
  public typealias Element = Any

  private let values: [(keyPath: PartialKeyPath<Model>, value: any Sendable)]

  /// Creates a tombstone; stores of any kind may make one.
  ///
  /// - Parameter values: The preserved values, in the order in which they will be iterated.
  public init(_ values: [(keyPath: PartialKeyPath<Model>, value: any Sendable)] = []) {
    self.values = values
  }

  /// The preserved value of a property, nil where it was not preserved.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    if let known = values.first(where: { $0.keyPath == keyPath }) { return known.value }
    // A key path to an inherited property names the subclass, and is equal to none that is known.
    guard ModelLayout.of(Model.self).superlayout != nil,
      let name = ModelLayout.nameOfProperty(at: keyPath)
    else { return nil }
    return values.first { ModelLayout.nameOfProperty(at: $0.keyPath) == name }?.value
  }

  /// Goes through the preserved values in order.
  public func makeIterator() -> Iterator {
    Iterator(values: values.map(\.value).makeIterator())
  }

  /// Goes through the preserved values of a tombstone.
  public struct Iterator: IteratorProtocol {
    fileprivate var values: IndexingIterator<[any Sendable]>

    /// The next value, nil at the end.
    public mutating func next() -> Any? { values.next() }
  }
}
