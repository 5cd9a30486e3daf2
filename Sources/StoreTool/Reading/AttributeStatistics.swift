import Foundation
import OpenSwiftData

/// Statistics of the values of one attribute, collected value by value.
struct AttributeStatistics: Encodable {
  let property: String
  let type: String
  /// The number of rows without a value.
  private(set) var nulls = 0
  /// The smallest value in sort order, as a string, or `nil` if values have no order.
  var least: String? { text(lowest) }
  /// The largest value.
  var greatest: String? { text(highest) }
  /// The number of characters of the longest string, or of bytes of the longest data.
  private(set) var longest: Int?

  private let description: StoreProperty
  private let entity: StoreEntity
  private let isOrdered: Bool
  private var lowest = StoreValue.null
  private var highest = StoreValue.null

  private enum CodingKeys: String, CodingKey {
    case property, type, nulls, least, greatest, longest
  }

  init(_ property: StoreProperty, in entity: StoreEntity) {
    self.property = property.name
    type = property.attributeType?.rawValue ?? ""
    description = property
    self.entity = entity
    isOrdered = property.isSortable && property.attributeType != .uuid
  }

  mutating func add(_ value: StoreValue) {
    switch value {
    case .null: nulls += 1
    case .string(let text): longest = max(longest ?? 0, text.count)
    case .data(let data): longest = max(longest ?? 0, data.count)
    default: break
    }
    guard isOrdered, !value.isNull else { return }
    if lowest.isNull || StoreValue.sortOrder(value, lowest) < 0 { lowest = value }
    if highest.isNull || StoreValue.sortOrder(value, highest) > 0 { highest = value }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(property, forKey: .property)
    try container.encode(type, forKey: .type)
    try container.encode(nulls, forKey: .nulls)
    try container.encodeIfPresent(least, forKey: .least)
    try container.encodeIfPresent(greatest, forKey: .greatest)
    try container.encodeIfPresent(longest, forKey: .longest)
  }

  private func text(_ value: StoreValue) -> String? {
    value.isNull ? nil : ShownValue(value, description, in: entity).short
  }
}
