import StoreProtocol

/// The objects of one entity hierarchy in one context, one for each key.
///
/// The map holds its objects until they are evicted, so that no object ends while a context looks
/// for it, on whatever thread the program lets go of it.
class IdentityMap {
  /// The object of a key.
  func model(for key: PersistentIdentifier.Key) -> (any PersistentModel)? { nil }
  /// Puts an object under its key.
  func register(_ model: any PersistentModel, for key: PersistentIdentifier.Key) {}
  /// Takes an object out.
  func remove(_ key: PersistentIdentifier.Key) {}
  /// All objects.
  var models: [any PersistentModel] { [] }
  /// The number of objects.
  var count: Int { 0 }
  /// Takes out the objects that nobody else refers to, unless a test keeps them.
  func evictUnused(unless isNeeded: (any PersistentModel) -> Bool) {}
  /// Takes out all objects.
  func removeAll() {}

  /// The objects that the last fetch gave, for loading their relationships together.
  var lastFetched: [any PersistentModel] = []
  /// Where in ``lastFetched`` the next fault is expected.
  var faultCursor = 0

  /// Makes a map for a hierarchy.
  static func make<Root: PersistentModel>(for root: Root.Type) -> IdentityMap {
    TypedIdentityMap<Root>()
  }
}

/// A map whose objects have a type, which is what asking for their references needs.
private final class TypedIdentityMap<Root: PersistentModel>: IdentityMap {
  private var numbered: [Int64: Root] = [:]
  private var named: [String: Root] = [:]

  override func model(for key: PersistentIdentifier.Key) -> (any PersistentModel)? {
    switch key {
    case .integer(let number): numbered[number]
    case .text(let name): named[name]
    case .temporary: nil
    }
  }

  override func register(_ model: any PersistentModel, for key: PersistentIdentifier.Key) {
    guard let model = model as? Root else { return }
    switch key {
    case .integer(let number): numbered[number] = model
    case .text(let name): named[name] = model
    case .temporary: break
    }
  }

  override func remove(_ key: PersistentIdentifier.Key) {
    switch key {
    case .integer(let number): numbered[number] = nil
    case .text(let name): named[name] = nil
    case .temporary: break
    }
  }

  override var models: [any PersistentModel] {
    numbered.values.map { $0 } + named.values.map { $0 }
  }

  override var count: Int { numbered.count + named.count }

  override func evictUnused(unless isNeeded: (any PersistentModel) -> Bool) {
    lastFetched = []
    Self.evict(from: &numbered, unless: isNeeded)
    Self.evict(from: &named, unless: isNeeded)
  }

  private static func evict<Key: Hashable>(
    from table: inout [Key: Root],
    unless isNeeded: (any PersistentModel) -> Bool
  ) {
    var unused: [Key] = []
    var index = table.values.startIndex
    while index != table.values.endIndex {
      if isKnownUniquelyReferenced(&table.values[index]), !isNeeded(table.values[index]) {
        unused.append(table.keys[index])
      }
      table.values.formIndex(after: &index)
    }
    for key in unused { table[key] = nil }
  }

  override func removeAll() {
    numbered = [:]
    named = [:]
    lastFetched = []
  }
}
