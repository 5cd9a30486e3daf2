import ModelRuntime
import StoreProtocol

/// The values of a record by key path, for snapshots of other types.
struct RecordBackingData<Model: PersistentModel>: BackingData {
  private let record: DefaultSnapshot

  init(_ record: DefaultSnapshot) {
    self.record = record
  }

  var persistentModelID: PersistentIdentifier? { record.persistentIdentifier }

  func storeValues() -> (names: PropertyNames, values: [StoreValue]) {
    (record.names, record.values)
  }

  /// Returns an attribute, or a placeholder if the record holds no value of its type.
  ///
  /// - Precondition: The key path is that of a persisted attribute.
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value {
    guard
      let name = ModelLayout.of(Model.self).propertyName(of: key),
      let value = decoded(Value.self, from: record[name] ?? .null)
        ?? decoded(Value.self, from: Placeholder.value(of: Value.self))
    else {
      preconditionFailure("A snapshot read a key path that is not a stored attribute.")
    }
    return value
  }

  private func decoded<Value>(_ type: Value.Type, from stored: StoreValue) -> Value? {
    guard let decodable = CodableTypes.decodable(type) else { return nil }
    return (try? StoreValueDecoder.decode(decodable, from: stored)) as? Value
  }

  /// Does nothing: a record is a copy.
  func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {}
}
