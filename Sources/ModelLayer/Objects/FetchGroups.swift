import StoreProtocol

/// The objects of recent fetches, whose missing data is loaded together.
///
/// A loop over the objects of one fetch accesses the same relationship of each. Some fetches are
/// remembered, and small ones do not evict a large one. The loop therefore costs the same number of
/// queries whatever it fetches in between.
struct FetchGroups {
  private struct Group {
    let models: any FetchedObjects
    /// The expected position of the next object with missing data.
    var expected = 0
  }

  /// The largest number of objects that are loaded together.
  static let pageSize = 1_000
  private static let capacity = 8
  /// The groups, the latest last.
  private var groups: [Group] = []

  /// Adds the objects of a fetch, whose list is not copied.
  mutating func add<T: PersistentModel>(_ models: [T]) { add(TypedObjects(models: models)) }

  /// Adds objects of several types.
  mutating func add(_ models: [any PersistentModel]) { add(MixedObjects(models: models)) }

  /// Adds objects that the groups do not keep alive.
  mutating func addWeakly(_ models: [any PersistentModel]) {
    add(WeakObjects(models: models.map { WeakObjects.Reference(model: $0) }))
  }

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

  /// Returns the page around an object in the latest group that contains it, or `nil` if none does.
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

  // Pages have fixed bounds, so that each page is loaded once, in whatever order a program accesses
  // the objects.
  private mutating func takePage(at position: Int, from index: Int) -> [any PersistentModel] {
    let models = groups[index].models
    let start = position / Self.pageSize * Self.pageSize
    let end = min(start + Self.pageSize, models.count)
    groups[index].expected = end
    return models.objects(in: start..<end)
  }

  /// Returns the page of a list that contains an object, or `nil` if the list lacks it.
  static func page(
    around model: any PersistentModel,
    in models: [any PersistentModel]
  ) -> [any PersistentModel]? {
    var groups = FetchGroups()
    groups.add(models)
    return groups.page(around: model)
  }
}

/// The list of a fetch, shared with its caller.
private protocol FetchedObjects {
  var count: Int { get }
  func position(of model: any PersistentModel) -> Int?
  func object(at position: Int) -> AnyObject?
  func objects(in range: Range<Int>) -> [any PersistentModel]
}

/// Objects of one type.
private struct TypedObjects<T: PersistentModel>: FetchedObjects {
  let models: [T]

  var count: Int { models.count }
  func position(of model: any PersistentModel) -> Int? { models.firstIndex { $0 === model } }
  func object(at position: Int) -> AnyObject? { models[position] }
  func objects(in range: Range<Int>) -> [any PersistentModel] { Array(models[range]) }
}

/// Objects of several types.
private struct MixedObjects: FetchedObjects {
  let models: [any PersistentModel]

  var count: Int { models.count }
  func position(of model: any PersistentModel) -> Int? { models.firstIndex { $0 === model } }
  func object(at position: Int) -> AnyObject? { models[position] }
  func objects(in range: Range<Int>) -> [any PersistentModel] { Array(models[range]) }
}

/// Objects of an ended context, some of which may have ended too.
private struct WeakObjects: FetchedObjects {
  struct Reference {
    weak var model: (any PersistentModel)?
  }

  let models: [Reference]

  var count: Int { models.count }
  func position(of model: any PersistentModel) -> Int? { models.firstIndex { $0.model === model } }
  func object(at position: Int) -> AnyObject? { models[position].model }
  func objects(in range: Range<Int>) -> [any PersistentModel] { models[range].compactMap(\.model) }
}
