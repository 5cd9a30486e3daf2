import Foundation
import QueryEvaluation
import StoreProtocol

/// A condition on one property that its column alone decides, or narrows.
struct ColumnCondition {
  enum Test {
    /// Whether it is one of several values, which are comparable to the column's or nil.
    case among([StoreValue])
    case within(ValueRange)
    /// Whether it is another value, or nil.
    case differs(from: StoreValue)
  }

  let property: Int
  let test: Test
  /// Whether all rows that pass satisfy the expression; otherwise they must be tested again.
  let isExact: Bool

  private init(_ property: Int, _ test: Test, isExact: Bool = true) {
    self.property = property
    self.test = test
    self.isExact = isExact
  }

  /// Creates a condition from an expression over the rows of an entity, or returns `nil` for
  /// another form.
  ///
  /// The condition has the meaning that `QueryEvaluator` defines; if Swift would trap, the row does
  /// not pass.
  init?(_ expression: QueryExpression, _ entity: StoreEntity, _ types: [CellType]) {
    guard let (name, make) = Self.form(of: expression), let property = entity.indexByName[name],
      types[property].isOrdered,
      let condition = make(property, types[property])
    else { return nil }
    self = condition
  }

  private typealias Maker = (Int, CellType) -> ColumnCondition?

  /// Returns the property of an expression, and a function that creates the condition on its
  /// column.
  private static func form(of expression: QueryExpression) -> (String, Maker)? {
    switch expression {
    case .compare(let comparison, .property(.element(0), let name), .constant(let value)):
      (name, { compare(comparison, $0, $1, value) })
    case .compare(let comparison, .constant(let value), .property(.element(0), let name)):
      (name, { compare(comparison.flipped, $0, $1, value) })
    case .property(.element(0), let name): (name, { boolean(true, $0, $1) })
    case .not(.property(.element(0), let name)): (name, { boolean(false, $0, $1) })
    case .contains(.constant(.array(let list)), .property(.element(0), let name)):
      (name, { contains(list, $0, $1) })
    case .contains(.constant(.identifiers(let list)), .property(.element(0), let name)):
      (name, { contains(list, $0, $1) })
    case .isInRange(
      .property(.element(0), let name),
      lower: .constant(let lower),
      upper: .constant(let upper),
      let closed
    ):
      (name, { range(lower, upper, closed: closed, $0, $1) })
    case .text(.startsWith, .property(.element(0), let name), .constant(.string(let text))):
      (name, { starts(with: text, $0, $1) })
    default: nil
    }
  }

  private static func boolean(_ flag: Bool, _ property: Int, _ type: CellType) -> ColumnCondition? {
    type == .bool ? ColumnCondition(property, .among([.bool(flag)])) : nil
  }

  private static func compare(
    _ comparison: QueryExpression.Comparison,
    _ property: Int,
    _ type: CellType,
    _ value: StoreValue
  ) -> ColumnCondition? {
    if type == .reference {
      // A reference to a deleted row is nil, so it may differ from the column's value.
      guard comparison == .equal, type.isComparable(to: value) else { return nil }
      return ColumnCondition(property, .among([value]), isExact: false)
    }
    let isEquality = comparison == .equal || comparison == .notEqual
    guard type.isComparable(to: value) || (value.isNull && isEquality) else { return nil }
    if value.isNaN { return comparison == .notEqual ? nil : ColumnCondition(property, .among([])) }
    let included = ValueRange.Bound(value: value, isIncluded: true)
    let excluded = ValueRange.Bound(value: value, isIncluded: false)
    let test: Test =
      switch comparison {
      case .equal: .among([value])
      case .notEqual: .differs(from: value)
      case .less: .within(ValueRange(upper: excluded))
      case .lessOrEqual: .within(ValueRange(upper: included))
      case .greater: .within(ValueRange(lower: excluded))
      case .greaterOrEqual: .within(ValueRange(lower: included))
      }
    return ColumnCondition(property, test)
  }

  private static func contains(
    _ list: [StoreValue],
    _ property: Int,
    _ type: CellType
  ) -> ColumnCondition? {
    guard type != .reference, list.allSatisfy({ $0.isNull || type.isComparable(to: $0) }) else {
      return nil
    }
    return ColumnCondition(property, .among(list.filter { !$0.isNaN }))
  }

  private static func contains(
    _ list: [PersistentIdentifier],
    _ property: Int,
    _ type: CellType
  ) -> ColumnCondition? {
    guard type == .reference else { return nil }
    let stored = list.filter { $0.integerKey != nil }.map(StoreValue.identifier)
    return ColumnCondition(property, .among(stored), isExact: false)
  }

  private static func range(
    _ lower: StoreValue,
    _ upper: StoreValue,
    closed: Bool,
    _ property: Int,
    _ type: CellType
  ) -> ColumnCondition? {
    guard type != .reference, type.isComparable(to: lower), type.isComparable(to: upper) else {
      return nil
    }
    guard QueryExpression.Comparison.lessOrEqual.holds(lower, upper) else {
      return ColumnCondition(property, .among([]))
    }
    let range = ValueRange(
      lower: .init(value: lower, isIncluded: true),
      upper: .init(value: upper, isIncluded: closed)
    )
    return ColumnCondition(property, .within(range))
  }

  /// Returns the condition for strings that start with the leading plain characters of another.
  ///
  /// They are consecutive in Swift's order: a string that starts with a plain character also has
  /// its scalar first in the canonical form. The evaluator must determine whether a following mark
  /// makes it another character.
  private static func starts(
    with text: String,
    _ property: Int,
    _ type: CellType
  ) -> ColumnCondition? {
    let plain = text.prefix { $0.isPlain }.unicodeScalars
    guard type == .string, let last = plain.last,
      let following = Unicode.Scalar(last.value + 1)
    else { return nil }
    var end = plain.dropLast()
    end.append(following)
    let range = ValueRange(
      lower: .init(value: .string(String(Substring(plain))), isIncluded: true),
      upper: .init(value: .string(String(Substring(end))), isIncluded: false)
    )
    return ColumnCondition(property, .within(range), isExact: false)
  }
}

extension Character {
  /// Whether this is a single printable ASCII character.
  fileprivate var isPlain: Bool {
    guard let value = asciiValue, unicodeScalars.count == 1 else { return false }
    return value >= 0x20 && value < 0x7F
  }
}

extension StoreValue {
  /// Whether this is a floating-point number or a date that equals nothing.
  fileprivate var isNaN: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }
}
