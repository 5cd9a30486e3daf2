import StoreProtocol

/// Relationships of objects, each once, in the order in which they were added.
///
/// It keeps the objects alive, so that no other object can have the identifier of one of them.
struct RelationshipList {
  private struct Key: Hashable {
    let model: ObjectIdentifier
    let index: Int
  }

  /// The relationships.
  private(set) var all: [(model: any PersistentModel, index: Int)] = []
  private var keys: Set<Key> = []

  var isEmpty: Bool { all.isEmpty }

  /// Adds a relationship, unless it is present.
  mutating func insert(_ model: any PersistentModel, _ index: Int) {
    guard keys.insert(Key(model: ObjectIdentifier(model), index: index)).inserted else { return }
    all.append((model, index))
  }

  func contains(_ model: any PersistentModel, _ index: Int) -> Bool {
    keys.contains(Key(model: ObjectIdentifier(model), index: index))
  }
}
