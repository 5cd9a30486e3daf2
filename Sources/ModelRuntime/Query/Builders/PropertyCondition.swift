import Foundation
import StoreProtocol

/// A condition on the value of a property, for predicates that are composed at run time.
///
/// ```swift
/// var conditions: [Predicate<Trip>] = []
/// if let text { conditions.append(Trip.where(\.name, .localizedStandardContains(text))) }
/// if let budget { conditions.append(Trip.where(\.price, .isAtMost(budget))) }
/// if isOpen { conditions.append(Trip.where(\.end, .isNil)) }
/// let trips = FetchDescriptor(predicate: Predicate(all: conditions))
/// ```
///
/// Conditions mean the same as Swift's operators. For an absent value, only ``isNil`` holds, and
/// ``isNot(_:)`` with a value.
public struct PropertyCondition<Value>: Sendable {
  let form: ConditionForm

  init(_ form: ConditionForm) { self.form = form }

  fileprivate init(_ value: Any, _ make: (StoreValue) -> ConditionForm) {
    form =
      StoreValue(captured: value).map(make)
      ?? .unsupported("a \(type(of: value)) cannot be stored")
  }

  fileprivate init(ordered value: Any, _ comparison: QueryExpression.Comparison) {
    self.init(value) { .compare(comparison, $0) }
    refuseUnlessOrdered()
  }

  fileprivate init(lower: Value, upper: Value, closed: Bool) {
    self.init(lower) { lower in
      StoreValue(captured: upper).map { .isBetween(lower, $0, closed: closed) }
        ?? .unsupported("a \(Value.self) cannot be stored")
    }
    refuseUnlessOrdered()
  }

  private mutating func refuseUnlessOrdered() {
    guard !StoredOrder.holds(for: Value.self) else { return }
    self = Self(.unsupported("\(Value.self) and its stored values have different orders"))
  }
}

extension PropertyCondition where Value: Equatable {
  /// The value is equal to another.
  public static func equals(_ value: Value) -> Self { Self(value) { .compare(.equal, $0) } }

  /// The value is not equal to another.
  public static func isNot(_ value: Value) -> Self { Self(value) { .compare(.notEqual, $0) } }

  /// The value is one of several.
  public static func isIn(_ values: some Sequence<Value>) -> Self {
    Self(Array(values)) { .isIn($0) }
  }
}

extension PropertyCondition where Value: Comparable {
  /// The value is less than another.
  public static func isLess(than value: Value) -> Self { Self(ordered: value, .less) }

  /// The value is less than or equal to another.
  public static func isAtMost(_ value: Value) -> Self { Self(ordered: value, .lessOrEqual) }

  /// The value is greater than another.
  public static func isGreater(than value: Value) -> Self { Self(ordered: value, .greater) }

  /// The value is greater than or equal to another.
  public static func isAtLeast(_ value: Value) -> Self { Self(ordered: value, .greaterOrEqual) }

  /// The value is in a range that includes its ends.
  public static func isBetween(_ range: ClosedRange<Value>) -> Self {
    Self(lower: range.lowerBound, upper: range.upperBound, closed: true)
  }

  /// The value is in a range that excludes its upper end.
  public static func isBetween(_ range: Range<Value>) -> Self {
    Self(lower: range.lowerBound, upper: range.upperBound, closed: false)
  }
}

extension PropertyCondition where Value: ExpressibleByNilLiteral {
  /// There is no value.
  public static var isNil: Self { Self(.compare(.equal, .null)) }

  /// There is a value.
  public static var isNotNil: Self { Self(.compare(.notEqual, .null)) }
}

extension PropertyCondition where Value == String {
  /// The string contains another, character by character.
  public static func contains(_ text: String) -> Self { Self(.text(.contains, text)) }

  /// The string starts with another, character by character.
  public static func starts(with text: String) -> Self { Self(.text(.startsWith, text)) }

  /// The string contains another, ignoring case and diacritics.
  public static func localizedStandardContains(_ text: String) -> Self {
    Self(.text(.localizedStandardContains, text))
  }

  /// The string contains the words of a search.
  public static func contains(_ search: TextSearch) -> Self { Self(.searches(search)) }
}

extension PropertyCondition where Value: Collection {
  /// There is no element.
  public static var isEmpty: Self { Self(.isEmpty) }

  /// The collection contains an element; the objects of a relationship are elements too.
  public static func includes(_ element: Value.Element) -> Self
  where Value.Element: Equatable {
    Self(element) { .includes($0) }
  }
}
