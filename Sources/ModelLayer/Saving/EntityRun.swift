import StoreProtocol

/// Consecutive objects of one entity in a list.
///
/// Values that are equal for all of them are looked up once.
struct EntityRun {
  let registration: EntityRegistration
  /// The objects, in the order of the list.
  let models: ArraySlice<any PersistentModel>
  /// Their keys and changes when the list was made, if these cannot have changed since.
  let marks: ArraySlice<Mark>?

  /// The state of an object with attributes only that a save needs, read once per object.
  ///
  /// Objects are scattered in memory: each further pass over ten thousand of them takes a
  /// measurable time.
  struct Mark {
    /// The integer key of the object's row, or the smallest integer if the key is not an integer.
    let key: Int64
    /// The bits of the properties that changed.
    let dirty: UInt64
  }

  /// Returns the runs of a list; objects outside of any context are left out.
  static func runs(of models: [any PersistentModel]) -> [EntityRun] {
    var runs: [EntityRun] = []
    var start = 0
    while start < models.count {
      let registration = models[start]._$state.registration
      let end =
        models[start...].firstIndex { $0._$state.registration !== registration } ?? models.count
      if let registration = models[start].registration {
        runs.append(EntityRun(registration: registration, models: models[start..<end], marks: nil))
      }
      start = end
    }
    return runs
  }

  /// The runs of one hierarchy of entities.
  private struct Hierarchy {
    let map: IdentityMap
    var registrations: [EntityRegistration] = []
    var runs: [EntityRun] = []

    func refers(to map: IdentityMap) -> Bool {
      registrations.contains { $0.targets.contains { $0 === map } }
    }
  }

  /// Returns the objects of a list without marks, grouped by hierarchy and in their order.
  ///
  /// A graph is inserted object by object, so that those of one entity are rarely adjacent. A
  /// hierarchy precedes those that refer to it, unless it refers to them too, so that a store knows a
  /// row's key when it writes a reference to it. The list is unchanged if references are
  /// unique: the program then most likely inserted first the objects that others refer to.
  static func byHierarchy(_ list: PendingObjects.List) -> PendingObjects.List {
    var hierarchies: [Hierarchy] = []
    for run in list.runs {
      if run.registration.hasUniqueReferences { return list }
      let map = run.registration.identityMap
      let index = hierarchies.firstIndex { $0.map === map } ?? hierarchies.count
      if index == hierarchies.count { hierarchies.append(Hierarchy(map: map)) }
      hierarchies[index].runs.append(run)
      if !hierarchies[index].registrations.contains(run.registration) {
        hierarchies[index].registrations.append(run.registration)
      }
    }
    guard hierarchies.count > 1 else { return list }
    var remaining = hierarchies
    var ordered: [EntityRun] = []
    func place(_ map: IdentityMap) {
      guard let index = remaining.firstIndex(where: { $0.map === map }) else { return }
      let hierarchy = remaining.remove(at: index)
      for target in hierarchy.registrations.flatMap(\.targets) {
        let isMutual = remaining.contains { $0.map === target && $0.refers(to: map) }
        if !isMutual { place(target) }
      }
      ordered += hierarchy.runs
    }
    for hierarchy in hierarchies { place(hierarchy.map) }
    let isOrdered = zip(ordered, list.runs).allSatisfy {
      $0.models.startIndex == $1.models.startIndex
    }
    if isOrdered { return list }
    var models: [any PersistentModel] = []
    models.reserveCapacity(list.models.count)
    var starts: [(registration: EntityRegistration, start: Int)] = []
    for run in ordered {
      if run.registration !== starts.last?.registration {
        starts.append((run.registration, models.count))
      }
      models += run.models
    }
    return (models, runs(of: models, from: starts))
  }

  /// Returns the runs of a list whose starts are given, with marks if there are any.
  static func runs(
    of models: [any PersistentModel],
    from starts: [(registration: EntityRegistration, start: Int)],
    marks: [Mark]? = nil
  ) -> [EntityRun] {
    let ends = starts.dropFirst().map(\.start) + [models.count]
    return zip(starts, ends).map { first, end in
      EntityRun(
        registration: first.registration,
        models: models[first.start..<end],
        // A save may change objects through the relationships of others.
        marks: first.registration.hasRelationships ? nil : marks?[first.start..<end]
      )
    }
  }

  /// The identifiers of the objects, which are saved ones.
  var identifiers: [PersistentIdentifier] {
    guard let marks else { return models.map(registration.identifier) }
    return zip(models, marks).map { registration.identifier(of: $0, key: $1.key) }
  }

  /// The objects of entities with relationships.
  static func related(_ runs: [EntityRun]) -> [any PersistentModel] {
    runs.filter(\.registration.hasRelationships).flatMap(\.models)
  }
}
