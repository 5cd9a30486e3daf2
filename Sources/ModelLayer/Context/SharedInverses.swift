import ModelRuntime
import StoreProtocol

// Relationships several of which share one inverse: each has objects of its own, and the inverse of
// an object has those that refer to it by any of them.

extension PersistentModel {
  /// Returns the part of a relationship in an inverse that several relationships share, or `nil` if
  /// there is none.
  func sharedInverse(of index: Int) -> SharedInverse? {
    if let registration { return registration.facts.shared[index] }
    return RelationshipEnds.of(ModelLayout.of(Self.self)).shared[index]
  }

  /// Updates the other ends after objects were removed from and added to a relationship.
  func updateOtherEnds(
    _ shared: SharedInverse,
    at index: Int,
    left: [any PersistentModel],
    joined: [any PersistentModel]
  ) {
    switch shared {
    case .claim(let inverse, let siblings):
      for target in left where !siblings.contains(where: { isLinked(to: target, at: $0) }) {
        target.leave(self, at: inverse)
      }
      for target in joined { target.join(self, at: inverse, claims: siblings + [index]) }
    case .inverse(let claims):
      // For a new object it is undefined which of the relationships is meant: it is added to none.
      for owner in left { owner.leave(self, claims: claims) }
    }
  }

  /// Adds an object that has this one in a relationship to the inverse of that.
  func join(_ owner: any PersistentModel, at inverse: Int, claims: [Int]) {
    guard !isLinked(to: owner, at: inverse) else { return }
    if isToMany(inverse) { return changeMembers(at: inverse, adding: owner) }
    let previous = related(at: inverse).first
    set([owner], at: inverse)
    previous?.leave(self, claims: claims)
  }

  private func leave(_ model: any PersistentModel, claims: [Int]) {
    for claim in claims where isLinked(to: model, at: claim) { leave(model, at: claim) }
  }

  /// Whether a relationship has an object.
  func isLinked(to model: any PersistentModel, at index: Int) -> Bool {
    related(at: index).contains { $0 === model }
  }
}
