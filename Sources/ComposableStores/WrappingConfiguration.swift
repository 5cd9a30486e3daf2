import StoreProtocol

/// The description of a store around another.
///
/// Name, models and validity are those of the store below, and two such configurations are equal
/// where those of the stores below are.
public protocol WrappingConfiguration: DataStoreConfiguration, Sendable {
  /// The kind of configuration that describes the store below.
  associatedtype Below: DataStoreConfiguration
  /// The configuration of the store below.
  var base: Below { get set }
}

extension WrappingConfiguration {
  public var name: String { base.name }

  public var schema: Schema? {
    get { base.schema }
    set { base.schema = newValue }
  }

  public func validate() throws { try base.validate() }

  /// Compares the configurations below.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.base == rhs.base }

  /// Hashes the configuration below.
  public func hash(into hasher: inout Hasher) { hasher.combine(base) }
}
