import StoreProtocol

extension ContextState {
  /// Whether objects tell of each change, not only of the first of a property.
  var recordsChanges: Bool { undo != nil || keeper != nil }

  /// What keeps the answers of observers up to date, made with the first of them.
  func keeping() -> AnswerKeeper {
    if let keeper { return keeper }
    let made = AnswerKeeper(self)
    keeper = made
    markRecorded(true)
    return made
  }

  /// Ends what ``keeping()`` began, where nobody observes any more.
  func endKeeping() {
    keeper = nil
    markRecorded(recordsChanges)
  }

  /// Brings the objects without unsaved changes to their rows, in one query an entity; those whose
  /// rows are gone vanish.
  ///
  /// - Parameter root: The hierarchy, nil for all.
  /// - Throws: What a store throws; some objects are then up to date.
  func refreshUnchanged(in root: String? = nil) throws {
    let maps = root.map { identityMap(named: $0).map { [$0] } ?? [] } ?? allIdentityMaps
    let models = maps.flatMap(\.models).filter { !$0.isNeededByContext }
    for case (let place?, let all) in Dictionary(grouping: models, by: \.registration) {
      for start in stride(from: 0, to: all.count, by: 5_000) {
        let part = all[start..<min(start + 5_000, all.count)]
        let found = try fetchRows(Set(part.map(\.persistentModelID.key)), of: place)
        let present = Set(found.map(ObjectIdentifier.init))
        for model in part where !present.contains(ObjectIdentifier(model)) { vanish(model) }
      }
    }
  }
}
