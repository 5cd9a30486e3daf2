import StoreProtocol

/// The objects that recent fetches gave, which have what they lack loaded together.
///
/// A loop over the objects of one fetch touches the same relationship of each. A few fetches are
/// remembered, and small ones drive out no large one, so that the loop costs the same queries
/// whatever it fetches in between.
struct FetchGroups {
  private struct Group {
    let models: any FetchedObjects
    /// Where the next object is expected that lacks something.
    var expected = 0
  }

  /// How many objects are loaded together at the most.
  static let pageSize = 1_000
  private static let capacity = 8
  /// The groups, the latest last.
  private var groups: [Group] = []

  /// Adds the objects of a fetch, whose list stays as it is.
  mutating func add<T: PersistentModel>(_ models: [T]) { add(TypedObjects(models: models)) }

  /// Adds objects of several types.
  mutating func add(_ models: [any PersistentModel]) { add(MixedObjects(models: models)) }

  private mutating func add(_ models: some FetchedObjects) {
    guard models.count > 0 else { return }
    if groups.count == Self.capacity, let smallest = groups.indices.min(by: isSmaller) {
      groups.remove(at: smallest)
    }
    groups.append(Group(models: models))
  }

  private func isSmaller(_ first: Int, _ second: Int) -> Bool {
    groups[first].models.count < groups[second].models.count
  }

  /// The part of the latest group with an object in which it stands, nil where none has it.
  mutating func page(around model: any PersistentModel) -> [any PersistentModel]? {
    for index in groups.indices.reversed() {
      let (models, expected) = (groups[index].models, groups[index].expected)
      if expected < models.count, models.object(at: expected) === model {
        return takePage(at: expected, from: index)
      }
    }
    for index in groups.indices.reversed() {
      if let position = groups[index].models.position(of: model) {
        return takePage(at: position, from: index)
      }
    }
    return nil
  }

  // Pages have fixed places, so that in whatever order a program goes through the objects, each
  // page is loaded once.
  private mutating func takePage(at position: Int, from index: Int) -> [any PersistentModel] {
    let models = groups[index].models
    let start = position / Self.pageSize * Self.pageSize
    let end = min(start + Self.pageSize, models.count)
    groups[index].expected = end
    return models.objects(in: start..<end)
  }

  /// The page of a list in which an object stands, nil where the list lacks it.
  static func page(
    around model: any PersistentModel,
    in models: [any PersistentModel]
  ) -> [any PersistentModel]? {
    var groups = FetchGroups()
    groups.add(models)
    return groups.page(around: model)
  }
}

/// The list that a fetch gave, shared with whoever got it.
private protocol FetchedObjects {
  var count: Int { get }
  func position(of model: any PersistentModel) -> Int?
  func object(at position: Int) -> AnyObject
  func objects(in range: Range<Int>) -> [any PersistentModel]
}

/// Objects of one type.
private struct TypedObjects<T: PersistentModel>: FetchedObjects {
  let models: [T]

  var count: Int { models.count }
  func position(of model: any PersistentModel) -> Int? { models.firstIndex { $0 === model } }
  func object(at position: Int) -> AnyObject { models[position] }
  func objects(in range: Range<Int>) -> [any PersistentModel] { Array(models[range]) }
}

/// Objects of several types.
private struct MixedObjects: FetchedObjects {
  let models: [any PersistentModel]

  var count: Int { models.count }
  func position(of model: any PersistentModel) -> Int? { models.firstIndex { $0 === model } }
  func object(at position: Int) -> AnyObject { models[position] }
  func objects(in range: Range<Int>) -> [any PersistentModel] { Array(models[range]) }
}
