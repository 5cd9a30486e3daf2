import StoreProtocol

// References to objects whose deletion was saved. A save does not search for them, which would
// visit all objects in memory: a relationship drops them when it is next read. Only observed
// relationships drop them at once, since their observers read again when they are notified.

extension PersistentModel {
  /// Removes objects that no longer exist from a relationship, if it is loaded.
  ///
  /// A required relationship keeps its last object, since it cannot be empty.
  func dropGone(_ index: Int) {
    guard let registration, registration.isRelationship[index] else { return }
    let deletions = registration.objects.deletions
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

  /// Removes objects that no longer exist from all relationships, and notifies observers.
  func dropGoneNotifying() {
    guard let registration else { return }
    for index in registration.relationshipIndices
    where registration.isToMany[index] || registration.entity.properties[index].isOptional {
      guard loadedObjects(at: index).contains(where: \.isGone) else { continue }
      notifyingObservers(of: index) { keepPresent(index) }
    }
  }

  private func keepPresent(_ index: Int) {
    let models = loadedObjects(at: index)
    guard models.contains(where: \.isGone) else { return }
    try? PropertySetter.put(.models(models.filter { !$0.isGone }), into: index, of: self)
  }

  /// Returns the objects of a relationship that was just set, without repetitions and those that no
  /// longer exist.
  ///
  /// A relationship contains an object once, as its rows do.
  func present(_ models: [any PersistentModel], at index: Int) -> [any PersistentModel] {
    if models.areDistinct, !models.contains(where: \.isGone) { return models }
    var seen: Set<ObjectIdentifier> = []
    let kept = models.filter { !$0.isGone && seen.insert(ObjectIdentifier($0)).inserted }
    if case .models = PropertyReader.content(of: index, in: self) {
      try? PropertySetter.put(.models(kept), into: index, of: self)
    }
    return kept
  }
}

extension [any PersistentModel] {
  /// Whether no object is in the list twice; few are compared without a set.
  fileprivate var areDistinct: Bool {
    if count > 8 { return Set(map(ObjectIdentifier.init)).count == count }
    return indices.allSatisfy { index in !self[..<index].contains { $0 === self[index] } }
  }
}
