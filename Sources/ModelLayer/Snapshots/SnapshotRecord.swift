import StoreProtocol

/// What a snapshot says of one property.
enum SnapshotContent: Hashable, Sendable {
  /// Nothing.
  case absent
  /// The stored form of an attribute.
  case value(StoreValue)
  /// That a value was set which cannot be encoded, with the reason.
  case refused(String)
  /// The identifiers of the objects of a relationship that was not followed.
  case unfollowed([PersistentIdentifier])
  /// The objects of a relationship.
  case objects([SnapshotRecord])
}

/// What a snapshot holds, whatever its model.
struct SnapshotRecord: Sendable {
  /// The levels of related objects that a snapshot may have, which bounds every recursion.
  static let depthLimit = 64

  /// The layout of the object's own model.
  let layout: ModelLayout
  /// The object, nil for one that no context knows.
  var identifier: PersistentIdentifier?
  /// The number of the save that last changed the object when the values were taken, or `nil` if
  /// nobody can tell; no part of what is compared.
  var version: Int64?
  /// What is said of each property, in the order of the layout.
  var contents: [SnapshotContent]
  /// Tells snapshots without an identifier apart; no part of what is compared.
  private let number = PersistentIdentifier.nextTemporaryNumber()

  /// Creates a record that says nothing of any property.
  init(_ layout: ModelLayout, identifier: PersistentIdentifier?) {
    self.layout = layout
    self.identifier = identifier
    contents = [SnapshotContent](repeating: .absent, count: layout.properties.count)
  }

  /// The identifier, or one that stands for it where there is none.
  var identity: PersistentIdentifier {
    identifier ?? PersistentIdentifier(scope: layout.unsavedScope, key: .temporary(number))
  }

  /// The place of a property of a model that the object's own is or inherits from.
  func index<M: PersistentModel>(of path: AnyKeyPath, in model: M.Type) -> Int? {
    ModelLayout.of(model).indexOrInherited(of: path, in: model)
  }

  /// The objects of a relationship, references where they were not followed.
  func related(at index: Int) -> [SnapshotRecord] {
    switch contents[index] {
    case .absent, .value, .refused: return []
    case .objects(let records): return records
    case .unfollowed(let identifiers):
      guard let shape = layout.properties[index].shape else { return [] }
      let destination = ModelLayout.of(shape.destination)
      return identifiers.map { SnapshotRecord(destination, identifier: $0) }
    }
  }

  /// The value of an attribute; that of an object made from nothing where there is none.
  ///
  /// - Precondition: The declaration has an initial value, or one can be made of the type.
  func value<V: Codable>(_ type: V.Type, at index: Int) -> V {
    if case .value(let stored) = contents[index],
      let value = try? PropertyForm.value(type, of: stored)
    {
      return value
    }
    if let initial = layout.properties[index].metadata.makeDefault?() as? V { return initial }
    return Self.placeholder(type)
  }

  /// A value made from nothing.
  ///
  /// - Precondition: One can be made of the type.
  static func placeholder<V: Decodable>(_ type: V.Type) -> V {
    guard let made = PlaceholderDecoder.value(of: type) else {
      preconditionFailure(
        "The snapshot says nothing of a property of type \(V.self) and no value can be made of "
          + "it; give the property a default value."
      )
    }
    return made
  }
}

extension SnapshotRecord: Hashable {
  static func == (lhs: SnapshotRecord, rhs: SnapshotRecord) -> Bool {
    lhs.layout === rhs.layout && lhs.identifier == rhs.identifier && lhs.contents == rhs.contents
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    hasher.combine(contents)
  }
}

extension ModelLayout {
  /// The index of a property of the layout's model, declared or inherited.
  func indexOrInherited<M: PersistentModel>(of path: AnyKeyPath, in model: M.Type) -> Int? {
    if let index = index(of: path) { return index }
    // A key path to an inherited property names the subclass, and is equal to none that is known.
    guard superlayout != nil,
      case .property(.element(0), let name)? = try? QueryExpression(keyPath: path, of: model)
    else { return nil }
    return index(named: name)
  }
}
