import Foundation
import OpenSwiftData

/// Statistics of the values of one attribute, collected value by value.
struct AttributeStatistics: Encodable {
  let property: String
  let type: String
  /// The number of rows without a value.
  private(set) var nulls = 0
  /// The smallest value in sort order, as a string, or `nil` if values have no order.
  private(set) var least: String?
  /// The largest value.
  private(set) var greatest: String?
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

  /// Determines the least and the greatest value of those that were added.
  mutating func finish() {
    func text(_ value: StoreValue) -> String? {
      value.isNull ? nil : ShownValue(value, description, in: entity).short
    }
    (least, greatest) = (text(lowest), text(highest))
  }
}
