import StoreProtocol

/// The changes in a context itself since its observers were last updated, saved or not.
struct LocalChanges {
  struct Change {
    let model: any PersistentModel
    let entity: String
    /// The bits of the changed properties.
    var bits: UInt64 = 0
    /// Whether the object was added or removed.
    var changesMembership = false
  }

  private static let mostListed = 1_000

  /// Whether anything may have changed.
  var isEverything = false
  /// The roots of hierarchies with changes that are not listed.
  private(set) var others: Set<String> = []
  /// The changed objects by the root of their hierarchy.
  private(set) var byRoot: [String: [ObjectIdentifier: Change]] = [:]

  /// Whether nothing changed.
  var isEmpty: Bool { !isEverything && others.isEmpty && byRoot.isEmpty }

  /// Notes that something changed in a hierarchy.
  mutating func noteOthers(of root: String) {
    others.insert(root)
    byRoot[root] = nil
  }

  mutating func note(
    _ model: any PersistentModel,
    of entity: StoreEntity,
    bits: UInt64 = 0,
    changesMembership: Bool = false
  ) {
    guard !isEverything, !others.contains(entity.root) else { return }
    let key = ObjectIdentifier(model)
    var change = byRoot[entity.root]?[key] ?? Change(model: model, entity: entity.name)
    change.bits |= bits
    change.changesMembership = change.changesMembership || changesMembership
    byRoot[entity.root, default: [:]][key] = change
    if byRoot[entity.root]?.count ?? 0 > Self.mostListed { noteOthers(of: entity.root) }
  }
}
