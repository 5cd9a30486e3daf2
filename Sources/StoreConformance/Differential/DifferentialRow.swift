import StoreProtocol

/// One row of the data that queries are tried on.
///
/// Rows are known by numbers, which all stores share: references name them, and an answer is a list
/// of them. The order of the numbers is the order in which stores get the rows.
public struct DifferentialRow: Hashable, Sendable {
  /// The number by which references and answers name the row.
  public var number: Int64
  /// The name of the row's entity in the sample schema.
  public var entity: String
  /// The values by property; what is missing is nil, or zero where nil is not allowed.
  public var values: [String: StoreValue]

  /// Creates a row.
  public init(_ number: Int64, _ entity: String, _ values: [String: StoreValue] = [:]) {
    self.number = number
    self.entity = entity
    self.values = values
  }

  /// The name of a row in values and queries, to be replaced by a store's own identifier.
  public static func identifier(_ number: Int64, _ entity: String) -> PersistentIdentifier {
    PersistentIdentifier(
      scope: PersistentIdentifier.Scope(storeIdentifier: nil, entityName: entity),
      key: .integer(number)
    )
  }

  var identifier: PersistentIdentifier { Self.identifier(number, entity) }

  /// The value of a property, as it is to be stored.
  func value(of property: StoreProperty) -> StoreValue {
    values[property.name] ?? SampleTypes.zero(of: property)
  }
}

extension StoreValue {
  /// The value with each identifier replaced, where there is a replacement; lists lose the others.
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
