import Observation

/// A class whose instances are stored.
///
/// Put `@Model` on a class; the macro generates all requirements of this protocol.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The macro's metadata of the properties that the class itself declares.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// The functions of the model runtime that the contract calls; for the engine only.
  static var _$runtime: any _ModelRuntime.Type { get }

  /// The number of stored properties, including inherited ones; for the macro only.
  static var _$count: Int { get }
  // Borrowed: otherwise, code that reads a part of the state of an object of unknown type would
  // copy all of it, with its reference counting.
  /// The state that the engine keeps in an object; for the macro and the engine only.
  @_borrowed var _$state: _ModelState { get set }
  /// Creates an object from a stored row; for the engine only.
  init(_$row row: RowReader) throws
  /// Reads one property from a row; for the engine only.
  func _$read(_ index: Int, from row: RowReader) throws
  /// Writes one property to a row; for the engine only.
  func _$write(_ index: Int, to row: RowWriter)
}

extension PersistentModel {
  /// Compares objects by identity: a context has one object for each identifier.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

  /// Hashes the object's identity, which no save changes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// Returns the number of the temporary identifier of an object that never had a context.
  package func _$temporaryNumber() -> Int64 {
    if _$state.key == 0 { _$state.key = PersistentIdentifier.nextTemporaryNumber() }
    return _$state.key
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
