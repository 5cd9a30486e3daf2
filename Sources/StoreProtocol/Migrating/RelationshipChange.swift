/// A check whether the related objects of a relationship follow from the stored data.
struct RelationshipChange {
  let old: StoreSchema
  let new: StoreSchema
  let before: StoreProperty
  let after: StoreProperty
  private let from: StoreRelationship
  private let to: StoreRelationship

  /// Compares two relationships, or returns `nil` if one of the properties is not a relationship.
  init?(_ before: StoreProperty, _ after: StoreProperty, old: StoreSchema, new: StoreSchema) {
    guard let from = before.relationship, let to = after.relationship else { return nil }
    self.old = old
    self.new = new
    self.before = before
    self.after = after
    self.from = from
    self.to = to
  }

  /// An entity of related objects that is not, or no longer, one of the destination's family.
  var outsider: String? {
    old.family(of: from.destination).map(\.name).first { name in
      (name == from.destination || new.entity(named: name) != nil)
        && !new.isEntity(name, kindOf: to.destination)
    }
  }

  /// The reason why code is needed, or `nil` if none is needed.
  var obstacle: String? {
    if let other = outsider {
      return "its related objects of \(other) are not instances of \(to.destination)"
    }
    if before.isToMany, after.isToOne { return "it is undefined which related object to keep" }
    if after.isDerivedToMany {
      if before.isDerivedToMany || wasKeptByBothEnds, isSameInverse { return nil }
      return gainsInverse ? nil : "its related objects do not refer back yet"
    }
    if after.isKeptByBothEnds {
      if hadInverse ? isSameInverse : gainsInverse { return nil }
      return "its inverse has no value for it yet"
    }
    return nil
  }

  /// Whether the relationship had no inverse and gains a new one, whose values follow from it.
  var gainsInverse: Bool {
    guard from.inverse == nil, let inverse = to.inverse else { return false }
    return new.family(of: to.destination).allSatisfy { entity in
      guard let end = old.entity(named: entity.name), let index = entity.indexByName[inverse]
      else { return true }
      return PropertyMatch(old: end, new: entity).sources[index] == nil
    }
  }

  private var wasKeptByBothEnds: Bool { before.isKeptByBothEnds && before.isToOne }

  private var hadInverse: Bool { from.inverse != nil }

  /// Whether the inverse property is unchanged.
  private var isSameInverse: Bool {
    guard let then = from.inverse, let now = to.inverse,
      let oldEnd = old.entity(named: from.destination),
      let newEnd = new.entity(named: from.destination)
    else { return false }
    return PropertyMatch(old: oldEnd, new: newEnd).name(ofOld: then) == now
  }
}
