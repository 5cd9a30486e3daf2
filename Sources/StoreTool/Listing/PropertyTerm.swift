import CommandLineSupport
import OpenSwiftData

extension StoreEntity {
  /// Returns the property with a name that a user typed.
  ///
  /// - Throws: `CommandFailure` with the existing names.
  func requiredProperty(_ name: String) throws -> StoreProperty {
    if let property = property(named: name) { return property }
    let names = properties.map(\.name).joined(separator: ", ")
    throw CommandFailure("\(self.name) has no property '\(name)'; it has \(names)")
  }

  /// Returns the order for `name` or `-name`.
  ///
  /// - Throws: `CommandFailure` for a property that has no order.
  func sort(_ text: String) throws -> QuerySort {
    let isReversed = text.hasPrefix("-")
    let property = try requiredProperty(isReversed ? String(text.dropFirst()) : text)
    guard property.isSortable else {
      throw CommandFailure(
        "\(name).\(property.name) cannot be sorted by; use a number, a string or a date"
      )
    }
    return QuerySort(property: property.name, isReversed: isReversed)
  }
}

extension StoreProperty {
  /// Whether values of the property have an order.
  var isSortable: Bool {
    guard let type = attributeType else { return false }
    return type != .codable && type != .data
  }
}
