import Observation

/// A class whose instances are stored.
///
/// Put `@Model` on a class; the macro writes everything that this protocol asks for.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// What the macro knows of the properties that the class itself declares.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// The number of persisted properties, inherited ones included; used by the macro alone.
  static var _$count: Int { get }
  // Borrowed: whoever asks an object of unknown type for a part of its state would otherwise get a
  // copy of all of it, and count references to what it holds up and down.
  /// The state that the engine keeps in an object; used by macro and engine alone.
  @_borrowed var _$state: _ModelState { get set }
  /// Makes an object from a stored row; used by the engine alone.
  init(_$row row: RowReader) throws
  /// Reads one property from a row; used by the engine alone.
  func _$read(_ index: Int, from row: RowReader) throws
  /// Writes one property to a row; used by the engine alone.
  func _$write(_ index: Int, to row: RowWriter)
}

extension PersistentModel {
  /// The identity of this model, temporary until it is first saved.
  public var persistentModelID: PersistentIdentifier {
    if let registration = _$state.registration {
      return registration.identifier(of: self)
    }
    if let identifier = _$state.ownIdentifier { return identifier }
    return _$temporaryIdentifier()
  }

  /// The identity of this model, unless it declares an `id` of its own.
  public var id: PersistentIdentifier { persistentModelID }

  /// Compares objects: within a context there is one object for each identity.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

  /// Hashes the object's identity, which no save changes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  private func _$temporaryIdentifier() -> PersistentIdentifier {
    if _$state.key == 0 { _$state.key = PersistentIdentifier.nextTemporaryNumber() }
    return PersistentIdentifier(
      scope: ModelLayout.of(Self.self).temporaryScope(of: self),
      key: .temporary(_$state.key)
    )
  }
}

/// A type that can hold the objects of a to-many relationship.
public protocol RelationshipCollection {
  /// The model type of its elements.
  associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The model type of the elements.
  public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection
where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  /// The model type of the elements.
  public typealias PersistentElement = Wrapped.Element
}
