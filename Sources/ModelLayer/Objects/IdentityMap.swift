import StoreProtocol

/// The objects of one entity hierarchy in one context, one for each key.
///
/// While there is a context, the map holds its objects until they are evicted. No object therefore
/// ends while the context looks for it, on whatever thread the program releases it.
class IdentityMap {
  /// The object of a key.
  func model(for key: PersistentIdentifier.Key) -> (any PersistentModel)? { nil }
  /// Registers an object under its key.
  func register(_ model: any PersistentModel, for key: PersistentIdentifier.Key) {}
  /// Registers objects of one type under consecutive integer keys.
  func register(_ models: ArraySlice<any PersistentModel>, from firstNumber: Int64) {}
  /// Prefetches the objects of some integer keys into the processor's cache, as far as they exist.
  ///
  /// Objects in no order are scattered in memory, and counting their references waits for each one.
  /// Reading without counting waits for many at once.
  func prefetchSlots(_ numbers: [Int64]) {}
  /// Removes an object.
  func remove(_ key: PersistentIdentifier.Key) {}
  /// All objects.
  var models: [any PersistentModel] { [] }
  /// The number of objects.
  var count: Int { 0 }
  /// Removes the objects that no other code refers to, unless a closure says that they are needed.
  func evictUnused(unless isNeeded: (any PersistentModel) -> Bool) {}
  /// Whether the map keeps its objects alive.
  var holdsObjects = true
  /// Whether objects can have relationships, and to-many relationships.
  var hasRelationships = false
  var hasToMany = false
  /// The objects that were fetched together, whose missing data is loaded together.
  fileprivate(set) var groups = FetchGroups()
  /// Whether the groups were dropped, so that objects of any may still exist.
  var hasUngroupedObjects = false
  /// The objects that were registered since the set was created, or `nil` to note none.
  @exclusivity(unchecked) var newcomers: Set<ObjectIdentifier>?
  /// Whether to-many relationships are loaded for one object each, because most of those that were
  /// loaded together could not be kept.
  var loadsAlone = false

  /// Notes objects that were fetched together.
  func noteFetched<T: PersistentModel>(_ models: [T]) {
    guard holdsObjects else { return groups.addWeakly(models) }
    groups.add(models.count) { models[$0] }
  }

  /// Notes objects of several types that were fetched together.
  func noteFetched(_ models: [any PersistentModel]) {
    guard holdsObjects else { return groups.addWeakly(models) }
    groups.add(models.count) { models[$0] }
  }

  /// Returns the objects whose relationships are loaded together with those of an object, including
  /// it.
  ///
  /// Objects whose group was dropped are loaded with whatever other objects there are.
  func batch(around model: any PersistentModel) -> [any PersistentModel] {
    if let page = groups.page(around: model) { return page }
    guard hasUngroupedObjects else { return [model] }
    hasUngroupedObjects = false
    noteFetched(models)
    return groups.page(around: model) ?? [model]
  }
}

/// A map whose objects have a static type, which is needed to check their references.
final class TypedIdentityMap<Root: PersistentModel>: IdentityMap {
  // While the map holds its objects, all are in `held`, otherwise in `followed`. A table is
  // consistent whenever it releases an object or checks one, so that code of the program that then
  // runs may read it. Unchecked exclusivity: accesses never overlap, and a check each time costs
  // too much.
  @exclusivity(unchecked) private var held = KeyTable()
  /// The objects that outlive their context, some of which may have ended too.
  @exclusivity(unchecked) private var followed: [PersistentIdentifier.Key: Follower] = [:]
  /// A sum over the objects that were read for prefetching; it is unused, but keeps the reads from
  /// being optimized away.
  @exclusivity(unchecked) private var seen: Int64 = 0

  override func model(for key: PersistentIdentifier.Key) -> (any PersistentModel)? {
    if holdsObjects { return held[key].map(own) }
    return followed[key]?.object.map(own)
  }

  override func prefetchSlots(_ numbers: [Int64]) {
    guard holdsObjects else { return }
    held.withObjects(of: numbers) { objects in
      // An object's reference count is at its beginning, and its state is behind its values.
      for object in objects { seen &+= object.load(as: Int64.self) }
      for object in objects {
        seen &+= Unmanaged<Root>.fromOpaque(object)._withUnsafeGuaranteedRef { $0._$state.version }
      }
    }
  }

  override func register(_ model: any PersistentModel, for key: PersistentIdentifier.Key) {
    if holdsObjects {
      held[key] = model
    } else {
      followed[key] = Follower(object: model)
    }
    newcomers?.insert(ObjectIdentifier(model))
  }

  override func register(_ models: ArraySlice<any PersistentModel>, from firstNumber: Int64) {
    guard holdsObjects else {
      for (number, model) in zip(firstNumber..., models) { register(model, for: .integer(number)) }
      return
    }
    held.reserveCapacity(held.count + models.count)
    newcomers?.formUnion(models.lazy.map { ObjectIdentifier($0) })
    var number = firstNumber
    for model in models {
      held.put(model, at: number)
      number += 1
    }
  }

  /// Casts an object; all that are registered are of the hierarchy (``EntityFacts``).
  private func own(_ object: AnyObject) -> Root { unsafeDowncast(object, to: Root.self) }

  override func remove(_ key: PersistentIdentifier.Key) {
    if holdsObjects { held[key] = nil } else { followed[key] = nil }
  }

  override var models: [any PersistentModel] {
    held.values.map(own) as [any PersistentModel] + followed.values.compactMap(\.object).map(own)
  }

  override var count: Int { held.count + followed.count }

  override var holdsObjects: Bool {
    didSet {
      guard holdsObjects != oldValue else { return }
      groups = FetchGroups()
      hasUngroupedObjects = true
      loadsAlone = false
      if holdsObjects {
        for (key, follower) in followed { held[key] = follower.object }
        followed = [:]
      } else {
        held.forEach { key, object, isUnshared in
          if !isUnshared { followed[key] = Follower(object: object) }
        }
        // The map has its new table before the old one releases objects, which may then end.
        var released = KeyTable()
        swap(&held, &released)
      }
    }
  }

  override func evictUnused(unless isNeeded: (any PersistentModel) -> Bool) {
    groups = FetchGroups()
    hasUngroupedObjects = true
    followed = followed.filter { $0.value.object != nil }
    held.removeUnshared { isNeeded(own($0)) }
  }
}

/// A reference that does not keep its object alive.
private struct Follower {
  weak var object: AnyObject?
}
