import StoreProtocol

// References to objects whose deletion was saved. Nobody looks for them at the save, which would cost
// a look at all objects in memory: a relationship drops them when it is next read.

extension PersistentModel {
  /// Whether the object's deletion was saved, or its row is gone.
  var isGone: Bool {
    _$state.registration == nil && !_$state.flags.isDisjoint(with: [.deleted, .vanished])
  }

  /// Takes objects that are gone out of a relationship, where it is loaded.
  ///
  /// A required relationship keeps the last object that it had: there is nothing else that it could
  /// give.
  func dropGone(_ index: Int) {
    guard let registration, registration.isRelationship[index] else { return }
    let deletions = registration.context.deletions
    guard deletions > 0 else { return }
    if registration.entity.properties[index].isToMany {
      guard existingExtra?.seenDeletions != deletions else { return }
      for index in registration.entity.properties.indices
      where registration.entity.properties[index].isToMany {
        keepPresent(index)
      }
      modelExtra.seenDeletions = deletions
    } else if registration.entity.properties[index].isOptional {
      keepPresent(index)
    }
  }

  private func keepPresent(_ index: Int) {
    guard case .models(let models) = ContentWriter.content(of: index, in: self),
      models.contains(where: \.isGone)
    else { return }
    try? ContentReader.put(.models(models.filter { !$0.isGone }), into: index, of: self)
  }

  /// The objects of a relationship that was just set, without those that are gone and without
  /// repetitions: a relationship contains an object once, as its rows do.
  func present(_ models: [any PersistentModel], at index: Int) -> [any PersistentModel] {
    let isDistinct =
      models.count < 2 || Set(models.map(ObjectIdentifier.init)).count == models.count
    if isDistinct, !models.contains(where: \.isGone) { return models }
    var seen: Set<ObjectIdentifier> = []
    let kept = models.filter { !$0.isGone && seen.insert(ObjectIdentifier($0)).inserted }
    if case .models = ContentWriter.content(of: index, in: self) {
      try? ContentReader.put(.models(kept), into: index, of: self)
    }
    return kept
  }
}
