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

    fileprivate mutating func add(_ bits: UInt64, _ changesMembership: Bool) {
      self.bits |= bits
      self.changesMembership = self.changesMembership || changesMembership
    }
  }

  fileprivate static let mostListed = 1_000

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
    let isListed = byRoot[entity.root, default: [:]].note(model, entity, bits, changesMembership)
    if !isListed { noteOthers(of: entity.root) }
  }
}

extension [ObjectIdentifier: LocalChanges.Change] {
  /// Adds a change, and returns whether the list is not too long.
  fileprivate mutating func note(
    _ model: any PersistentModel,
    _ entity: StoreEntity,
    _ bits: UInt64,
    _ changesMembership: Bool
  ) -> Bool {
    let change = LocalChanges.Change(model: model, entity: entity.name)
    self[ObjectIdentifier(model), default: change].add(bits, changesMembership)
    return count <= LocalChanges.mostListed
  }
}
