import ModelRuntime
import StoreProtocol

extension ContextState {
  /// Returns the updater of the observers' results, which the first call creates.
  func resultsUpdater() -> ResultsUpdater {
    if let updater = updater as? ResultsUpdater { return updater }
    let made = ResultsUpdater(self)
    updater = made
    return made
  }

  /// Updates the objects without unsaved changes to their rows, in one query per entity.
  ///
  /// Objects whose rows no longer exist vanish.
  ///
  /// - Parameter root: The hierarchy, or `nil` for all.
  /// - Throws: Errors of a store; some objects are then up to date.
  func refreshUnchanged(in root: String? = nil) throws {
    let maps = root.map { objects.identityMap(named: $0).map { [$0] } ?? [] } ?? objects.maps
    let models = maps.flatMap(\.models).filter { !$0.isNeededByContext }
    try loader.forEachBatch(of: models) { part, registration in
      let found = try loader.fetchRows(Set(part.map(\.persistentModelID.key)), of: registration)
      let present = Set(found.map(ObjectIdentifier.init))
      for model in part where !present.contains(ObjectIdentifier(model)) { vanish(model) }
    }
  }
}
