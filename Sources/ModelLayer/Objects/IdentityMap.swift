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
  /// Puts an object under the number of its row.
  func register(_ model: any PersistentModel, forNumber number: Int64) {}
  /// Puts objects of one type under numbers that follow each other.
  func register(_ models: ArraySlice<any PersistentModel>, from firstNumber: Int64) {}
  /// The object of a row number.
  func model(forNumber number: Int64) -> (any PersistentModel)? { nil }
  /// Brings the objects of some numbers, as far as there are any, close to the processor.
  ///
  /// Objects in no order lie anywhere in memory, and each is waited for when its references are
  /// counted. Looked at without counting, many are waited for at once.
  func approach(_ numbers: [Int64]) {}
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
  func noteFetched<T: PersistentModel>(_ models: [T]) {
    if holdsObjects { groups.add(models) }
  }

  /// Takes note of objects of several types that were fetched together.
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
  func batch(around model: any PersistentModel) -> [any PersistentModel] {
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
  // While the map holds its objects, all are in `held`, otherwise in `followed`. A table is whole
  // whenever it lets go of an object or asks about one, so that what the program does then may look
  // into it; that no access overlaps another is not worth a check each time.
  @exclusivity(unchecked) private var held = KeyTable()
  @exclusivity(unchecked) private var followed = FollowerTable()
  /// The type of the last object that was registered.
  private var knownType: ObjectIdentifier?
  /// What was looked at to bring it close: a sum that nobody needs, but that has to be made.
  @exclusivity(unchecked) private var seen: Int64 = 0

  override func model(for key: PersistentIdentifier.Key) -> (any PersistentModel)? {
    if holdsObjects { return held[key].map(own) }
    return followed[key].map(own)
  }

  override func model(forNumber number: Int64) -> (any PersistentModel)? {
    if holdsObjects { return held.value(of: number).map(own) }
    return followed.value(of: number).map(own)
  }

  override func approach(_ numbers: [Int64]) {
    guard holdsObjects else { return }
    held.withObjects(of: numbers) { objects in
      // An object's references are counted at its beginning, and its state lies behind its values.
      for object in objects { seen &+= object.load(as: Int64.self) }
      for object in objects {
        seen &+= Unmanaged<Root>.fromOpaque(object)._withUnsafeGuaranteedRef { $0._$state.version }
      }
    }
  }

  override func register(_ model: any PersistentModel, for key: PersistentIdentifier.Key) {
    guard belongs(model) else { return }
    if holdsObjects {
      held[key] = model
    } else {
      followed[key] = model
    }
  }

  override func register(_ model: any PersistentModel, forNumber number: Int64) {
    guard holdsObjects, belongs(model) else { return register(model, for: .integer(number)) }
    held.put(model, at: number)
  }

  override func register(_ models: ArraySlice<any PersistentModel>, from firstNumber: Int64) {
    guard holdsObjects, let first = models.first, belongs(first) else {
      for (number, model) in zip(firstNumber..., models) { register(model, for: .integer(number)) }
      return
    }
    held.reserveCapacity(held.count + models.count)
    var number = firstNumber
    for model in models {
      held.put(model, at: number)
      number += 1
    }
  }

  /// Whether an object is one of the hierarchy; asking the runtime once a type is enough.
  private func belongs(_ model: any PersistentModel) -> Bool {
    let type = ObjectIdentifier(type(of: model))
    if type != knownType {
      guard model is Root else { return false }
      knownType = type
    }
    return true
  }

  /// An object that was found to belong here, as one of the hierarchy.
  private func own(_ object: AnyObject) -> Root { unsafeDowncast(object, to: Root.self) }

  override func remove(_ key: PersistentIdentifier.Key) {
    if holdsObjects { held[key] = nil } else { followed[key] = nil }
  }

  override var models: [any PersistentModel] {
    held.values.map(own) as [any PersistentModel] + followed.values.map(own)
  }

  override var count: Int { held.count + followed.count }

  override var holdsObjects: Bool {
    didSet {
      guard holdsObjects != oldValue else { return }
      groups = FetchGroups()
      if holdsObjects {
        for (key, object) in followed.entries { held[key] = object }
        followed = FollowerTable()
      } else {
        held.removeUnshared { _ in false }
        held.follow(in: &followed)
        // The map has its new table before the old one lets go of objects, which may end with it.
        var released = KeyTable()
        swap(&held, &released)
      }
    }
  }

  override func evictUnused(unless isNeeded: (any PersistentModel) -> Bool) {
    groups = FetchGroups()
    hasStrays = true
    followed.removeEnded()
    held.removeUnshared { isNeeded(own($0)) }
  }
}
