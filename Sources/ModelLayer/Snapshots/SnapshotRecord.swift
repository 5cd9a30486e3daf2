import ModelRuntime
import StoreProtocol

/// The content of one property in a snapshot.
enum SnapshotContent: Hashable, Sendable {
  /// The snapshot lacks the property.
  case absent
  /// The stored form of an attribute.
  case value(StoreValue)
  /// A value was set that cannot be encoded, with the reason.
  case refused(String)
  /// The identifiers of the objects of a relationship that was not followed.
  case unfollowed([PersistentIdentifier])
  /// The objects of a relationship.
  case objects([SnapshotRecord])
}

/// The contents of a snapshot, whatever its model.
struct SnapshotRecord: Sendable {
  /// The largest number of levels of related objects, which bounds every recursion.
  static let depthLimit = 64

  /// The layout of the object's own model.
  let layout: ModelLayout
  /// The identifier of the object, or `nil` if the object is in no context.
  var identifier: PersistentIdentifier?
  /// The number of the save that last changed the object, or `nil` if it is not known; equality
  /// ignores it.
  ///
  /// It is that of the time when the values were taken.
  var version: Int64?
  /// The content of each property, in the order of the layout.
  var contents: [SnapshotContent]
  /// A number that distinguishes snapshots without an identifier; equality ignores it.
  private let number = PersistentIdentifier.nextTemporaryNumber()

  /// Creates a record without any property.
  init(_ layout: ModelLayout, identifier: PersistentIdentifier?) {
    self.layout = layout
    self.identifier = identifier
    contents = [SnapshotContent](repeating: .absent, count: layout.properties.count)
  }

  /// The identifier, or a temporary one if there is none.
  var identity: PersistentIdentifier {
    identifier ?? PersistentIdentifier(scope: layout.unsavedScope, key: .temporary(number))
  }

  /// Returns the index of a property of the object's own model, or of one that it inherits from.
  func index<M: PersistentModel>(of path: AnyKeyPath, in model: M.Type) -> Int? {
    ModelLayout.of(model).propertyName(leadingBy: path).flatMap(layout.index(named:))
  }

  /// Returns the objects of a relationship, as references if they were not followed.
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

  /// Returns the value of an attribute, or the initial or placeholder value if there is none.
  ///
  /// - Precondition: The declaration has an initial value, or the type has a placeholder.
  func value<V: Codable>(_ type: V.Type, at index: Int) -> V {
    if case .value(let stored) = contents[index],
      let value = try? PropertyForm.value(type, of: stored)
    {
      return value
    }
    if let initial = layout.properties[index].metadata.makeDefault?() as? V { return initial }
    return Self.placeholder(type)
  }

  /// Returns a placeholder value.
  ///
  /// - Precondition: The type has a placeholder.
  static func placeholder<V: Decodable>(_ type: V.Type) -> V {
    guard let made = PlaceholderDecoder.value(of: type) else {
      preconditionFailure(
        "The snapshot lacks a property of type \(V.self), and there is no placeholder for the "
          + "type; give the property a default value."
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
