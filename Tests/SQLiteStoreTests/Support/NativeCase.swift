import Foundation
import SQLiteStore
import StoreProtocol
import Testing

/// A condition or an order of the rows of an entity that SQL must say alone.
struct NativeCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let entity: String
  var filter: QueryExpression?
  var sort: [QuerySort] = []

  init(_ name: String, _ entity: String, _ filter: QueryExpression) {
    testDescription = name
    self.entity = entity
    self.filter = filter
  }

  init(order name: String, _ entity: String, _ value: QueryExpression) {
    testDescription = "order by \(name)"
    self.entity = entity
    sort = [QuerySort(value)]
  }
}

extension NativeCase {
  static func property(_ path: String...) -> QueryExpression {
    path.reduce(.element(0)) { .property($0, $1) }
  }

  static func member(_ path: String...) -> QueryExpression {
    path.reduce(.element(1)) { .property($0, $1) }
  }

  static func integer(_ number: Int64) -> QueryExpression { .constant(.integer(number)) }
  static func text(_ text: String) -> QueryExpression { .constant(.string(text)) }

  static let name = property("name")
  static let string = property("string")
  static let codable = property("codable")

  static let comparisons: [QueryExpression.Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  static let all = texts + numbers + structures + choices + relationships + orders
}
