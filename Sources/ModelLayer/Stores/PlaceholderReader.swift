import Foundation
import ModelRuntime
import StoreProtocol

/// Creates placeholder values, for objects whose row cannot be read.
final class PlaceholderReader: RowReader {
  private let layout: ModelLayout

  init(layout: ModelLayout, entity: StoreEntity) {
    self.layout = layout
    super.init(entity: entity)
  }

  /// Whether an attribute has a possible placeholder.
  static func canStandIn(for property: ModelLayout.Property) -> Bool {
    let type = type(of: property.keyPath).valueType
    return type is any ExpressibleByNilLiteral.Type || !value(of: property).isNull
  }

  override func value(at index: Int) throws -> StoreValue {
    guard layout.properties.indices.contains(index) else { return .null }
    return Self.value(of: layout.properties[index])
  }

  private static func value(of property: ModelLayout.Property) -> StoreValue {
    if let initial = property.metadata.makeDefault.flatMap({ StoreValue(any: $0()) }) {
      return initial
    }
    return Placeholder.value(of: type(of: property.keyPath).valueType)
  }
}

/// Placeholder values of types.
enum Placeholder {
  /// Returns the stored form of a placeholder of a type.
  static func value(of type: any Any.Type) -> StoreValue {
    if type is any ExpressibleByNilLiteral.Type { return .null }
    if let scalar = type as? any StoreScalar.Type { return scalar.placeholder }
    guard let decodable = CodableTypes.decodable(type) else { return .null }
    return made(decodable) ?? .null
  }

  private static func made<V: Decodable>(_ type: V.Type) -> StoreValue? {
    PlaceholderDecoder.value(of: type).flatMap { StoreValue(any: $0) }
  }
}
