import StoreProtocol

/// Objects of one entity that stand together in a list.
///
/// What is the same for all of them is looked up once for all of them.
struct EntityRun {
  /// The place of the objects.
  let registration: EntityRegistration
  /// The objects, in the order of the list.
  let models: ArraySlice<any PersistentModel>

  /// The runs of a list; objects outside of any context are left out.
  static func runs(of models: [any PersistentModel]) -> [EntityRun] {
    var runs: [EntityRun] = []
    var start = 0
    while start < models.count {
      let place = models[start]._$state.registration
      let end = models[start...].firstIndex { $0._$state.registration !== place } ?? models.count
      if let registration = models[start].registration {
        runs.append(EntityRun(registration: registration, models: models[start..<end]))
      }
      start = end
    }
    return runs
  }

  /// The objects of entities with relationships.
  static func related(_ runs: [EntityRun]) -> [any PersistentModel] {
    runs.filter(\.registration.hasRelationships).flatMap(\.models)
  }
}
