import Foundation
import StoreProtocol
import Synchronization

/// A property that was found by its name, or by a path of to-one relationships, such as
/// `author.name`.
struct NamedProperty: Hashable, Sendable {
  /// The names, separated by periods.
  let path: String
  /// The name of the entity at the start of the path.
  let entity: String
  /// The type of the attribute, or `nil` for a to-one relationship.
  let type: AttributeType?
  /// Whether the value may be absent.
  let isOptional: Bool
  /// The names, in the order of the path.
  let names: [String]

  /// The maximum number of names in a path.
  static let maximumParts = 32

  /// Finds a property.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` with the valid names, or for a path of more than
  ///   ``maximumParts`` names.
  init(_ path: String, of entity: String, in schema: StoreSchema) throws {
    guard path.utf8.count(where: { $0 == UInt8(ascii: ".") }) < Self.maximumParts else {
      throw SwiftDataError.unsupportedKeyPath.with(
        "\(path.shown) has more than \(Self.maximumParts) names, the limit of a path",
        entity: entity
      )
    }
    self.path = path
    self.entity = entity
    names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var current = entity
    var isOptional = false
    var type: AttributeType?
    for (index, name) in names.enumerated() {
      guard let description = schema.entity(named: current),
        let property = description.property(named: name)
      else {
        let names = schema.entity(named: current)?.properties.map(\.name) ?? []
        throw SwiftDataError.unsupportedKeyPath.with(
          "\(current) has no property \(name.shown); it has \(names.joined(separator: ", "))",
          entity: entity,
          property: path
        )
      }
      isOptional = isOptional || property.isOptional
      type = property.attributeType
      if case .toOne(let relationship) = property.kind {
        current = relationship.destination
        // An object may be deleted, whatever the declaration says.
        isOptional = true
      } else if property.isToMany || index < names.count - 1 {
        throw SwiftDataError.unsupportedKeyPath.with(
          "\(name.shown) is not a to-one relationship and cannot be followed by name",
          entity: entity,
          property: path
        )
      }
    }
    self.type = type
    self.isOptional = isOptional
  }

  /// Finds a property of a model.
  init(_ path: String, of model: any PersistentModel.Type) throws {
    try self.init(path, of: ModelLayout.of(model).entityName, in: Self.schema(of: model))
  }

  private static let schemas = Mutex<[ObjectIdentifier: StoreSchema]>([:])

  private static func schema(of model: any PersistentModel.Type) -> StoreSchema {
    let key = ObjectIdentifier(model)
    if let cached = schemas.withLock({ $0[key] }) { return cached }
    let made = Schema([model]).storeSchema
    schemas.withLock { $0[key] = made }
    return made
  }

  func expression(for root: QueryExpression) -> QueryExpression {
    names.reduce(root) { .property($0, $1) }
  }

  /// Returns the value of an object, or null if an object on the path is missing.
  func value(of model: any PersistentModel) throws -> StoreValue {
    var current: Any = model
    for name in names {
      guard let object = current as? any PersistentModel else { return .null }
      let layout = ModelLayout.of(Swift.type(of: object))
      guard let index = layout.index(named: name),
        let value = Self.read(object, layout.properties[index].keyPath)
      else { throw unsupported("\(Swift.type(of: object)) has no such property") }
      guard let optional = value as? any OptionalType else {
        current = value
        continue
      }
      guard let wrapped = optional.wrappedValue else { return .null }
      current = wrapped
    }
    return StoreValue(captured: current) ?? .null
  }

  private static func read<Root>(_ root: Root, _ keyPath: AnyKeyPath) -> Any? {
    root[keyPath: keyPath]
  }

  /// Returns the stored form of a string that a person entered as a value.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` with the string.
  func value(_ text: String) throws -> StoreValue {
    guard let type, type != .codable else {
      throw unsupported(
        "its values cannot be entered as a string; it can only be compared with nil"
      )
    }
    guard let value = StoreValue(typed: text, as: type) else {
      throw DataStoreError(
        .invalidValue,
        "\(text.shown) is not a value of type \(type.rawValue)",
        entity: entity,
        property: path
      )
    }
    return value
  }

  /// Returns an error about this property.
  func unsupported(_ reason: String) -> SwiftDataError {
    .unsupportedPredicate.with(reason, entity: entity, property: path)
  }
}

extension String {
  /// The string for a message, truncated if it is long.
  fileprivate var shown: String {
    count <= 80 ? debugDescription : String(prefix(80)).debugDescription + "…"
  }
}
