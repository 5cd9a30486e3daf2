import Foundation
import StoreProtocol

/// A collection of the standard library whose properties predicates can use by key path.
protocol StoredCollection {
  /// The key paths of aggregates; a first and a last only for ordered collections.
  static var aggregates: [(AnyKeyPath, QueryExpression.Aggregate)] { get }
}

// Each type lists its own key paths, because those of a protocol extension are not equal to them.

extension Array: StoredCollection {
  static var aggregates: [(AnyKeyPath, QueryExpression.Aggregate)] {
    [
      (\Self.count, .count), (\Self.isEmpty, .isEmpty), (\Self.first, .first), (\Self.last, .last),
    ]
  }
}

extension String: StoredCollection {
  static var aggregates: [(AnyKeyPath, QueryExpression.Aggregate)] {
    [
      (\Self.count, .count), (\Self.isEmpty, .isEmpty), (\Self.first, .first), (\Self.last, .last),
    ]
  }
}

extension Data: StoredCollection {
  static var aggregates: [(AnyKeyPath, QueryExpression.Aggregate)] {
    [
      (\Self.count, .count), (\Self.isEmpty, .isEmpty), (\Self.first, .first), (\Self.last, .last),
    ]
  }
}

extension Set: StoredCollection {
  static var aggregates: [(AnyKeyPath, QueryExpression.Aggregate)] {
    [(\Self.count, .count), (\Self.isEmpty, .isEmpty)]
  }
}

extension Dictionary: StoredCollection {
  static var aggregates: [(AnyKeyPath, QueryExpression.Aggregate)] {
    [(\Self.count, .count), (\Self.isEmpty, .isEmpty)]
  }
}
