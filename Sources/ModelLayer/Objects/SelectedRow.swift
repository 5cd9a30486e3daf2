import ModelRuntime
import StoreProtocol

/// Converts stored values of one column of a result to a Swift type.
///
/// The conversion is chosen once for the column, and not for each value.
struct ColumnReader<Value> {
  private let read: (StoreValue) -> Value?

  init() {
    read = Self.reader()
  }

  /// Returns the next value of a row.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a stored value that is not of the type, such as
  ///   `nil`.
  func next(of row: inout SelectedRow) throws -> Value {
    let stored = row.next()
    if let value = value(of: stored) { return value }
    throw DataStoreError(
      .invalidValue,
      "value \(row.position) of a row is \(stored), not a \(Value.self); if an object on the key "
        + "path can be nil, use `?.`",
      entity: row.entity
    )
  }

  /// Returns a stored value as a Swift value, or `nil` if it is not of the type.
  func value(of stored: StoreValue) -> Value? { read(stored) }

  private static func reader() -> (StoreValue) -> Value? {
    guard let optional = Value.self as? any OptionalType.Type else {
      let read = plainReader(of: Value.self)
      return { read($0) as? Value }
    }
    let read = plainReader(of: optional.wrapped)
    // A `nil` of an optional type is a value of it, as opposed to a value that is not of the type.
    let absent = (Value.self as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? Value
    // A cast of nothing to an optional type would succeed.
    return { $0.isNull ? absent : read($0).flatMap { $0 as? Value } }
  }

  private static func plainReader(of type: Any.Type) -> (StoreValue) -> Any? {
    if let scalar = type as? any StoreScalar.Type { return { scalar.init(storeValue: $0) } }
    if type == PersistentIdentifier.self {
      return { stored in
        // That of an object, or the value of an attribute.
        if case .identifier(let identifier) = stored { return identifier }
        return try? StoreValueDecoder.decode(PersistentIdentifier.self, from: stored)
      }
    }
    guard let decodable = CodableTypes.decodable(type) else { return { _ in nil } }
    return { try? StoreValueDecoder.decode(decodable, from: $0) }
  }
}

/// The values of one row of a result, read one after the other.
struct SelectedRow {
  private let values: [StoreValue]
  /// The entity of the query, for messages.
  let entity: String
  /// The number of values that were read.
  private(set) var position = 0

  init(_ values: [StoreValue], entity: String) {
    self.values = values
    self.entity = entity
  }

  fileprivate mutating func next() -> StoreValue {
    defer { position += 1 }
    return position < values.count ? values[position] : .null
  }
}
