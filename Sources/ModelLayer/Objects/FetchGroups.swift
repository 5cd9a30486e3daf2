import StoreProtocol

/// The objects of recent fetches, whose missing data is loaded together.
///
/// A loop over the objects of one fetch accesses the same relationship of each. Some fetches are
/// remembered, and small ones do not evict a large one. The loop therefore costs the same number of
/// queries whatever it fetches in between.
struct FetchGroups {
  private struct Group {
    let count: Int
    /// Returns the object at a position, or `nil` if it has ended.
    let object: (Int) -> (any PersistentModel)?
    /// The expected position of the next object with missing data.
    var expected = 0
  }

  /// The largest number of objects that are loaded together.
  static let pageSize = 1_000
  private static let capacity = 8
  /// The groups, the latest last.
  private var groups: [Group] = []

  /// Adds objects that the groups do not keep alive.
  mutating func addWeakly(_ models: [any PersistentModel]) {
    let references = models.map { WeakReference(model: $0) }
    add(models.count) { references[$0].model }
  }

  /// Adds the objects of a fetch, whose list is not copied.
  mutating func add(_ count: Int, _ object: @escaping (Int) -> (any PersistentModel)?) {
    guard count > 0 else { return }
    if groups.count == Self.capacity, let smallest = groups.indices.min(by: isSmaller) {
      groups.remove(at: smallest)
    }
    groups.append(Group(count: count, object: object))
  }

  private func isSmaller(_ first: Int, _ second: Int) -> Bool {
    groups[first].count < groups[second].count
  }

  /// Returns the page around an object in the latest group that contains it, or `nil` if none does.
  mutating func page(around model: any PersistentModel) -> [any PersistentModel]? {
    for index in groups.indices.reversed() {
      let group = groups[index]
      if group.expected < group.count, group.object(group.expected) === model {
        return takePage(at: group.expected, from: index)
      }
    }
    for index in groups.indices.reversed() {
      let group = groups[index]
      if let position = (0..<group.count).first(where: { group.object($0) === model }) {
        return takePage(at: position, from: index)
      }
    }
    return nil
  }

  // Pages have fixed bounds, so that each page is loaded once, in whatever order a program accesses
  // the objects.
  private mutating func takePage(at position: Int, from index: Int) -> [any PersistentModel] {
    let group = groups[index]
    let start = position / Self.pageSize * Self.pageSize
    let end = min(start + Self.pageSize, group.count)
    groups[index].expected = end
    return (start..<end).compactMap(group.object)
  }
}

/// A reference that does not keep its object alive.
private struct WeakReference {
  weak var model: (any PersistentModel)?
}
