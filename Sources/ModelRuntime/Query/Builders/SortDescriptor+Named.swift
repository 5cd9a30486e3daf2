import Foundation
import StoreProtocol

extension SortDescriptor where Compared: PersistentModel {
  /// Creates a descriptor for a property that is given by its name.
  ///
  /// A name may be a path of to-one relationships, such as `author.name`. All single-valued
  /// properties can be sorted, including Booleans and enumerations.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for an unknown property, and
  ///   `SwiftDataError.unsupportedSortDescriptor` for a property without an order.
  public init(property name: String, order: SortOrder = .forward) throws {
    let property = try NamedProperty(name, of: Compared.self)
    try property.checkOrder()
    let keyPath: KeyPath<Compared, OrderedValue> & Sendable = \Compared.[_$ordered: property]
    KeyPathSteps.note(keyPath, KeyPathSteps(names: property.names))
    self.init(keyPath, order: order)
  }

  /// Creates descriptors for properties that are given by their names; a leading minus sign
  /// reverses the order.
  ///
  /// - Throws: The errors of the initializer for one name.
  public static func named(_ names: some Sequence<String>) throws -> [Self] {
    try names.map { name in
      name.hasPrefix("-")
        ? try Self(property: String(name.dropFirst()), order: .reverse) : try Self(property: name)
    }
  }
}

extension QuerySort {
  /// Creates a term for a property that is given by its name, for tools that have no models.
  ///
  /// A leading minus sign reverses the order.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for an unknown property, and
  ///   `SwiftDataError.unsupportedSortDescriptor` for a property without an order.
  public init(named name: String, of entity: String, in schema: StoreSchema) throws {
    let isReversed = name.hasPrefix("-")
    let path = isReversed ? String(name.dropFirst()) : name
    let property = try NamedProperty(path, of: entity, in: schema)
    try property.checkOrder()
    self.init(property.expression(for: .element(0)), isReversed: isReversed)
  }
}

extension NamedProperty {
  fileprivate func checkOrder() throws {
    guard let type, type != .codable else {
      throw SwiftDataError.unsupportedSortDescriptor.with(
        "stores cannot sort by the property",
        entity: entity,
        property: path
      )
    }
  }
}

extension PersistentModel {
  fileprivate subscript(_$ordered property: NamedProperty) -> OrderedValue {
    OrderedValue(value: (try? property.value(of: self)) ?? .null)
  }
}
