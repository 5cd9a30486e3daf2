import StoreProtocol

/// Objects of one entity that stand together in a list.
///
/// What is the same for all of them is looked up once for all of them.
struct EntityRun {
  /// The place of the objects.
  let registration: EntityRegistration
  /// The objects, in the order of the list.
  let models: ArraySlice<any PersistentModel>
  /// Their keys and changes when the list was made, where these cannot have become others since.
  let marks: ArraySlice<Mark>?

  /// What a save asks of an object that has attributes alone, noted where the object is looked at.
  ///
  /// Objects lie apart in memory: each look at ten thousand of them costs as much as a row of a table.
  struct Mark {
    /// The number of the object's row, the smallest one where its key is none.
    let key: Int64
    /// The bits of the properties that changed.
    let dirty: UInt64
  }

  /// The runs of a list; objects outside of any context are left out.
  static func runs(of models: [any PersistentModel]) -> [EntityRun] {
    var runs: [EntityRun] = []
    var start = 0
    while start < models.count {
      let place = models[start]._$state.registration
      let end = models[start...].firstIndex { $0._$state.registration !== place } ?? models.count
      if let registration = models[start].registration {
        runs.append(EntityRun(registration: registration, models: models[start..<end], marks: nil))
      }
      start = end
    }
    return runs
  }

  /// The objects of a list without marks, those of each hierarchy together and in their order.
  ///
  /// A graph is inserted object by object, so that those of one entity rarely stand together. The list
  /// stays as it is where references are unique: whoever put the objects in that order most likely
  /// began with those that others refer to.
  static func byHierarchy(_ list: PendingObjects.List) -> PendingObjects.List {
    var places: [ObjectIdentifier: Int] = [:]
    var hierarchies: [[EntityRun]] = []
    for run in list.runs {
      if run.registration.hasUniqueReferences { return list }
      let hierarchy = ObjectIdentifier(run.registration.identityMap)
      if let place = places[hierarchy] {
        hierarchies[place].append(run)
      } else {
        places[hierarchy] = hierarchies.count
        hierarchies.append([run])
      }
    }
    guard hierarchies.count < list.runs.count else { return list }
    var models: [any PersistentModel] = []
    models.reserveCapacity(list.models.count)
    var starts: [(registration: EntityRegistration, start: Int)] = []
    for run in hierarchies.joined() {
      if run.registration !== starts.last?.registration {
        starts.append((run.registration, models.count))
      }
      models += run.models
    }
    return (models, runs(of: models, from: starts))
  }

  /// The runs of a list of which it is known where each begins, with marks where there are any.
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
        // What a save does for the relationships of some may change those of others.
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
