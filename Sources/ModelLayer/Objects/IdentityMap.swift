import StoreProtocol

/// The objects of one entity hierarchy in one context, one for each key.
///
/// While there is a context, the map holds its objects until they are evicted, so that no object
/// ends while the context looks for it, on whatever thread the program lets go of it.
class IdentityMap {
  /// The object of a key.
  func model(for key: PersistentIdentifier.Key) -> (any PersistentModel)? { nil }
  /// Puts an object under its key.
  func register(_ model: any PersistentModel, for key: PersistentIdentifier.Key) {}
  /// Takes an object out.
  func remove(_ key: PersistentIdentifier.Key) {}
  /// All objects.
  var models: [any PersistentModel] { [] }
  /// The number of objects.
  var count: Int { 0 }
  /// Takes out the objects that nobody else refers to, unless a test keeps them.
  func evictUnused(unless isNeeded: (any PersistentModel) -> Bool) {}
  /// Whether the map keeps its objects alive.
  var holdsObjects = true
  /// The objects that were fetched together, for loading what they lack together.
  fileprivate(set) var groups = FetchGroups()
  /// Whether the groups were forgotten, so that objects of any may still be about.
  fileprivate(set) var hasStrays = false

  /// Takes note of objects that were fetched together.
  func noteFetched(_ models: [any PersistentModel]) {
    if holdsObjects { groups.add(models) }
  }

  /// Forgets which objects were fetched together.
  func forgetGroups() { groups = FetchGroups() }

  /// Takes note that objects which belong to no group any more have something to load.
  func noteStrays() { hasStrays = true }

  /// The objects that have their relationships loaded together with one of them, which is among them.
  ///
  /// Objects whose group was forgotten, or whose context is gone, are loaded with whatever others
  /// there are.
  func batch(around model: any PersistentModel) -> ArraySlice<any PersistentModel> {
    if let page = groups.page(around: model) { return page }
    guard hasStrays || !holdsObjects else { return [model] }
    hasStrays = false
    let all = models
    noteFetched(all)
    return FetchGroups.page(around: model, in: all) ?? [model]
  }

  /// Makes a map for a hierarchy.
  static func make<Root: PersistentModel>(for root: Root.Type) -> IdentityMap {
    TypedIdentityMap<Root>()
  }
}

/// A map whose objects have a type, which is what asking for their references needs.
private final class TypedIdentityMap<Root: PersistentModel>: IdentityMap {
  private var held: [PersistentIdentifier.Key: Root] = [:]
  private var followed: [PersistentIdentifier.Key: Follower<Root>] = [:]

  override func model(for key: PersistentIdentifier.Key) -> (any PersistentModel)? {
    held[key] ?? followed[key]?.model
  }

  override func register(_ model: any PersistentModel, for key: PersistentIdentifier.Key) {
    guard let model = model as? Root else { return }
    if holdsObjects {
      held[key] = model
    } else {
      followed[key] = Follower(model: model)
    }
  }

  override func remove(_ key: PersistentIdentifier.Key) {
    held[key] = nil
    followed[key] = nil
  }

  override var models: [any PersistentModel] {
    held.values.map { $0 } + followed.values.compactMap(\.model)
  }

  override var count: Int { held.count + followed.count }

  override var holdsObjects: Bool {
    didSet {
      guard holdsObjects != oldValue else { return }
      groups = FetchGroups()
      if holdsObjects {
        held = followed.compactMapValues(\.model)
        followed = [:]
      } else {
        followed = held.mapValues { Follower(model: $0) }
        held = [:]
      }
    }
  }

  override func evictUnused(unless isNeeded: (any PersistentModel) -> Bool) {
    groups = FetchGroups()
    hasStrays = true
    followed = followed.filter { $0.value.model != nil }
    var unused: [PersistentIdentifier.Key] = []
    var index = held.values.startIndex
    while index != held.values.endIndex {
      if isKnownUniquelyReferenced(&held.values[index]), !isNeeded(held.values[index]) {
        unused.append(held.keys[index])
      }
      held.values.formIndex(after: &index)
    }
    for key in unused { held[key] = nil }
  }
}

/// A reference that does not keep its object alive.
private struct Follower<Root: PersistentModel> {
  weak var model: Root?
}
