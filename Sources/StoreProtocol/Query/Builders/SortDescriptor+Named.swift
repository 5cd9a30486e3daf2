import Foundation
import Synchronization

extension SortDescriptor where Compared: PersistentModel {
  /// Creates a descriptor for a property that is given by its name.
  ///
  /// A name may lead through relationships to one object, as `author.name`. All properties with one
  /// value have an order, truth values and enumerations among them.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that there is not, and
  ///   `SwiftDataError.unsupportedSortDescriptor` for one without an order.
  public init(property name: String, order: SortOrder = .forward) throws {
    let property = try NamedProperty(name, of: Compared.self)
    try property.checkOrder()
    self.init(NamedSortPath.keyPath(to: property, of: Compared.self), order: order)
  }

  /// Creates descriptors for properties that are given by their names, those with a minus before
  /// them in reverse order.
  ///
  /// - Throws: As the initialiser for one name does.
  public static func named(_ names: some Sequence<String>) throws -> [Self] {
    try names.map { name in
      name.hasPrefix("-")
        ? try Self(property: String(name.dropFirst()), order: .reverse) : try Self(property: name)
    }
  }
}

extension QuerySort {
  /// Creates a term for a property that is given by its name, with a minus before it for the reverse
  /// order; for tools that have no models.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that there is not, and
  ///   `SwiftDataError.unsupportedSortDescriptor` for one without an order.
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
        "the property has no order in stores",
        entity: entity,
        property: path
      )
    }
  }
}

/// Key paths for properties that are known by their names alone.
///
/// A sort descriptor takes a key path, and none can be made at run time that leads through an
/// optional. One of a subscript can; what it leads to is noted here.
enum NamedSortPath {
  private struct Path: Hashable, @unchecked Sendable {
    // Unchecked: key paths are immutable, and this one captures a value that is Sendable.
    let keyPath: AnyKeyPath
  }

  private static let known = Mutex<[Path: NamedProperty]>([:])

  fileprivate static func keyPath<Model: PersistentModel>(
    to property: NamedProperty,
    of model: Model.Type
  ) -> KeyPath<Model, OrderedValue> & Sendable {
    let keyPath: KeyPath<Model, OrderedValue> & Sendable = \Model.[_$ordered: property]
    known.withLock { $0[Path(keyPath: keyPath)] = property }
    return keyPath
  }

  /// What such a key path leads to, nil for any other.
  static func steps(of keyPath: AnyKeyPath) -> KeyPathSteps? {
    guard type(of: keyPath).valueType == OrderedValue.self else { return nil }
    return known.withLock { $0[Path(keyPath: keyPath)] }.map { KeyPathSteps(names: $0.names) }
  }
}

/// A value in the order of a sort.
struct OrderedValue: Comparable, Sendable {
  let value: StoreValue

  static func == (lhs: Self, rhs: Self) -> Bool {
    StoreValue.sortOrder(lhs.value, rhs.value) == 0
  }

  static func < (lhs: Self, rhs: Self) -> Bool { StoreValue.sortOrder(lhs.value, rhs.value) < 0 }
}

extension PersistentModel {
  fileprivate subscript(_$ordered property: NamedProperty) -> OrderedValue {
    OrderedValue(value: (try? property.value(of: self)) ?? .null)
  }
}
