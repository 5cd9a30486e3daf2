import ModelRuntime
import StoreProtocol

extension ContextState {
  /// Whether objects report each change, not only the first of a property.
  var recordsChanges: Bool { undo != nil || updater != nil }

  /// Returns the updater of the observers' results, which the first call creates.
  func resultsUpdater() -> ResultsUpdater {
    if let updater { return updater }
    let made = ResultsUpdater(self)
    updater = made
    markRecorded(true)
    return made
  }

  /// Ends what ``keeping()`` began, after the last observer has ended.
  func endUpdating() {
    updater = nil
    markRecorded(recordsChanges)
  }

  /// Updates the objects without unsaved changes to their rows, in one query per entity.
  ///
  /// Objects whose rows no longer exist vanish.
  ///
  /// - Parameter root: The hierarchy, or `nil` for all.
  /// - Throws: Errors of a store; some objects are then up to date.
  func refreshUnchanged(in root: String? = nil) throws {
    let maps = root.map { identityMap(named: $0).map { [$0] } ?? [] } ?? allIdentityMaps
    let models = maps.flatMap(\.models).filter { !$0.isNeededByContext }
    for case (let registration?, let all) in Dictionary(grouping: models, by: \.registration) {
      for start in stride(from: 0, to: all.count, by: 5_000) {
        let part = all[start..<min(start + 5_000, all.count)]
        let found = try fetchRows(Set(part.map(\.persistentModelID.key)), of: registration)
        let present = Set(found.map(ObjectIdentifier.init))
        for model in part where !present.contains(ObjectIdentifier(model)) { vanish(model) }
      }
    }
  }
}
