import StoreProtocol

/// A row of the data for query tests.
///
/// Rows have numbers that all stores share. References contain them, and results are lists of them.
/// Stores receive the rows in the order of the numbers.
public struct DifferentialRow: Hashable, Sendable {
  /// The number that identifies the row in references and results.
  public var number: Int64
  /// The name of the row's entity in the sample schema.
  public var entity: String
  /// The values by property; a missing value is nil, or zero if nil is not allowed.
  public var values: [String: StoreValue]

  /// Creates a row.
  public init(_ number: Int64, _ entity: String, _ values: [String: StoreValue] = [:]) {
    self.number = number
    self.entity = entity
    self.values = values
  }

  /// Returns the placeholder identifier of a row in values and queries, which is replaced by a
  /// store's own.
  public static func identifier(_ number: Int64, _ entity: String) -> PersistentIdentifier {
    PersistentIdentifier(.integer(number), of: entity)
  }

  var identifier: PersistentIdentifier { Self.identifier(number, entity) }

  func value(of property: StoreProperty) -> StoreValue {
    values[property.name] ?? SampleTypes.zero(of: property)
  }
}

extension StoreValue {
  /// Returns the value with each identifier replaced if there is a replacement; lists lose the
  /// others.
  func replacingIdentifiers(
    _ replacement: (PersistentIdentifier) -> PersistentIdentifier?
  ) -> StoreValue {
    switch self {
    case .identifier(let one): replacement(one).map(StoreValue.identifier) ?? .null
    case .identifiers(let list): .identifiers(list.compactMap(replacement))
    case .array(let list): .array(list.map { $0.replacingIdentifiers(replacement) })
    default: self
    }
  }
}
