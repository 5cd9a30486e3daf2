import StoreProtocol

/// The objects that recent fetches gave, which have what they lack loaded together.
///
/// A loop over the objects of one fetch touches the same relationship of each. A few fetches are
/// remembered, and small ones drive out no large one, so that the loop costs the same queries
/// whatever it fetches in between.
struct FetchGroups {
  private struct Group {
    let models: [any PersistentModel]
    /// Where the next object is expected that lacks something.
    var expected = 0
  }

  /// How many objects are loaded together at the most.
  static let pageSize = 1_000
  private static let capacity = 8
  /// The groups, the latest last.
  private var groups: [Group] = []

  /// Adds the objects of a fetch.
  mutating func add(_ models: [any PersistentModel]) {
    guard !models.isEmpty else { return }
    if groups.count == Self.capacity, let smallest = groups.indices.min(by: isSmaller) {
      groups.remove(at: smallest)
    }
    groups.append(Group(models: models))
  }

  private func isSmaller(_ first: Int, _ second: Int) -> Bool {
    groups[first].models.count < groups[second].models.count
  }

  /// The part of the latest group with an object in which it stands, nil where none has it.
  mutating func page(around model: any PersistentModel) -> ArraySlice<any PersistentModel>? {
    for index in groups.indices.reversed() {
      let (models, expected) = (groups[index].models, groups[index].expected)
      if models.indices.contains(expected), models[expected] === model {
        return take(Self.page(at: expected, in: models), from: index)
      }
    }
    for index in groups.indices.reversed() {
      if let page = Self.page(around: model, in: groups[index].models) {
        return take(page, from: index)
      }
    }
    return nil
  }

  private mutating func take(
    _ page: ArraySlice<any PersistentModel>,
    from index: Int
  ) -> ArraySlice<any PersistentModel> {
    groups[index].expected = page.endIndex
    return page
  }

  /// The page of a list in which an object stands, nil where the list lacks it.
  static func page(
    around model: any PersistentModel,
    in models: [any PersistentModel]
  ) -> ArraySlice<any PersistentModel>? {
    models.firstIndex { $0 === model }.map { page(at: $0, in: models) }
  }

  // Pages have fixed places, so that in whatever order a program goes through the objects, each
  // page is loaded once.
  private static func page(
    at position: Int,
    in models: [any PersistentModel]
  ) -> ArraySlice<any PersistentModel> {
    let start = position / pageSize * pageSize
    return models[start..<min(start + pageSize, models.count)]
  }
}
