import StoreProtocol

extension MergeConflict.Property {
  /// The merged value of a relationship that both ends keep, or `nil` to keep the stored value.
  var merged: StoreValue? {
    guard isChangedHere, let mine else { return nil }
    guard let theirs else { return mine }
    switch (base, mine, theirs) {
    case (.identifiers(let base), .identifiers(let mine), .identifiers(let theirs)):
      return .identifiers(Self.merged(base, mine, theirs))
    // A side that only clears the reference has no effect if the other side changed it already.
    case (_, .null, _): return isChangedThere ? nil : mine
    default: return mine
    }
  }

  /// Returns this context's elements without those that others removed, and with those that they
  /// added.
  private static func merged(
    _ base: [PersistentIdentifier],
    _ mine: [PersistentIdentifier],
    _ theirs: [PersistentIdentifier]
  ) -> [PersistentIdentifier] {
    let before = Set(base.map(\.key))
    let here = Set(mine.map(\.key))
    let there = Set(theirs.map(\.key))
    return mine.filter { !before.contains($0.key) || there.contains($0.key) }
      + theirs.filter { !before.contains($0.key) && !here.contains($0.key) }
  }
}

extension Save {
  /// Clears the references of rows that still refer to a row that no longer refers to them.
  ///
  /// They became its counterparts in another save, which this context has not read. Rows that the save
  /// updates are left out.
  mutating func release(
    _ conflict: MergeConflict,
    _ changes: [StoreUpdate.Change],
    of model: any PersistentModel,
    except updated: inout Set<PersistentIdentifier.Key>
  ) throws {
    guard let registration = model.registration else { return }
    let entity = registration.entity
    for change in changes where entity.properties[change.index].isKeptByBothEnds {
      let property = entity.properties[change.index]
      guard property.isToOne, let relationship = property.relationship,
        let inverse = relationship.inverse,
        case .identifier(let former)? = conflict[property.name]?.theirs,
        let destination = registration.registration(named: relationship.destination),
        let index = destination.entity.indexByName[inverse]
      else { continue }
      guard !updated.contains(former.key),
        try release(former, from: conflict.identifier, at: index, destination)
      else { continue }
      updated.insert(former.key)
    }
  }

  private mutating func release(
    _ former: PersistentIdentifier,
    from identifier: PersistentIdentifier,
    at index: Int,
    _ registration: EntityRegistration
  ) throws -> Bool {
    let query = StoreQuery.rows([former], of: registration.entity.name)
    var version: Int64?
    try registration.store.readRows(of: query) { reader in
      if try reader.reference(at: index) == identifier.key { version = reader.version }
    }
    guard let version else { return false }
    let change = StoreUpdate.Change(index, .null)
    changes.updates += RowRun.runs(of: [StoreUpdate(identifier: former, changes: [change])])
    changes.expectedVersions[former] = version
    if let registered = registration.identityMap.model(for: former.key), !registered.hasChanges {
      refreshed.append(registered)
    }
    return true
  }
}
