import StoreProtocol

/// The configuration of a store around another.
///
/// Name, models and validity are those of the wrapped store. Two such configurations are equal if
/// the wrapped configurations are equal.
public protocol WrappingConfiguration: DataStoreConfiguration, Sendable {
  /// The type of the wrapped store's configuration.
  associatedtype Below: DataStoreConfiguration
  /// The configuration of the wrapped store.
  var base: Below { get set }
}

extension WrappingConfiguration {
  public var name: String { base.name }

  public var schema: Schema? {
    get { base.schema }
    set { base.schema = newValue }
  }

  public func validate() throws { try base.validate() }

  /// Compares the wrapped configurations.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.base == rhs.base }

  /// Hashes the wrapped configuration.
  public func hash(into hasher: inout Hasher) { hasher.combine(base) }
}
