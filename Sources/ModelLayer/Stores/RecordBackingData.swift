import ModelRuntime
import StoreProtocol

/// The values of a record by key path, for snapshots of other types.
struct RecordBackingData<Model: PersistentModel>: BackingData {
  private let stored: DefaultSnapshot
  private let related: RelatedObjects

  init(_ record: DefaultSnapshot, related: RelatedObjects) {
    stored = record
    self.related = related
  }

  var persistentModelID: PersistentIdentifier? { stored.persistentIdentifier }

  func record() -> DefaultSnapshot { stored }

  /// Returns an attribute, or the objects of a relationship.
  ///
  /// It is a placeholder if the record holds no value of its type.
  ///
  /// - Precondition: The key path is that of a persisted property.
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value {
    let layout = ModelLayout.of(Model.self)
    guard let property = layout.index(of: key).map({ layout.properties[$0] }),
      let value = value(of: property, as: Value.self)
    else {
      preconditionFailure("A snapshot read a key path that is not a stored property.")
    }
    return value
  }

  private func value<Value>(of property: ModelLayout.Property, as type: Value.Type) -> Value? {
    let content = stored[property.name] ?? .null
    if let shape = property.shape {
      return objects(content.identifiers, shape.destination, shape, as: type)
    }
    return decoded(type, from: content) ?? decoded(type, from: Placeholder.value(of: type))
  }

  private func objects<Destination: PersistentModel, Value>(
    _ identifiers: [PersistentIdentifier],
    _ destination: Destination.Type,
    _ shape: RelationshipShape,
    as type: Value.Type
  ) -> Value? {
    if shape.isToMany { return related.objects(of: destination, for: identifiers) as? Value }
    if identifiers.isEmpty, let optional = type as? any ExpressibleByNilLiteral.Type {
      return Self.none(optional) as? Value
    }
    let identifier =
      identifiers.first ?? .temporary(of: ModelLayout.of(destination).entityName)
    return related.objects(of: destination, for: [identifier]).first as? Value
  }

  private static func none<Nothing: ExpressibleByNilLiteral>(_ type: Nothing.Type) -> Any {
    Nothing(nilLiteral: ())
  }

  private func decoded<Value>(_ type: Value.Type, from stored: StoreValue) -> Value? {
    guard let decodable = CodableTypes.decodable(type) else { return nil }
    return (try? StoreValueDecoder.decode(decodable, from: stored)) as? Value
  }

  /// Does nothing: a record is a copy.
  func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {}
}
