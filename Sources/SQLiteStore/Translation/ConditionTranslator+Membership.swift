import Foundation
import StoreProtocol

/// Membership of a value in a list that is known, or of an object in a relationship.
extension ConditionTranslator {
  /// Lists up to this length are parameters of their own, so that the planner knows their length.
  private static let shortList = 8

  /// The longest list of values that JSON cannot say exactly.
  private static let longestList = 500

  func contained(
    _ value: QueryExpression,
    in collection: QueryExpression,
    _ side: Side
  ) throws -> SQLFragment? {
    guard case .constant(let list) = collection else {
      return try contained(value, inMembers: collection, side)
    }
    let elements: [StoreValue]
    switch list {
    case .array(let values): elements = values
    case .identifiers(let identifiers): elements = identifiers.map(StoreValue.identifier)
    default: return nil
    }
    guard let term = try term(value) else { return nil }
    return try contained(term, in: elements, side)
  }

  private func contained(
    _ term: SQLTerm,
    in elements: [StoreValue],
    _ side: Side
  ) throws -> SQLFragment? {
    let present = elements.filter { !$0.isNull }
    guard let values = Self.values(present, term.content),
      let list = Self.list(values)
    else { return nil }
    var exactness = try exactness(of: term)
    guard exactness != .withCare else { return nil }
    if exactness == .byCollation, values.allSatisfy(\.isOneSpelling) { exactness = .exact }
    let collation = exactness == .byCollation ? " COLLATE \(SwiftText.collation)" : ""
    let test = { (column: SQLFragment) -> SQLFragment in "\(column)\(collation) IN (\(list))" }
    guard present.count < elements.count, term.canBeNull else { return said(term, side, test) }
    // nil is in the list.
    let isFound: SQLFragment =
      side == .holds
      ? .any(["\(term.value) IS NULL", test(term.value)])
      : .all(["\(term.value) IS NOT NULL", "NOT (\(test(term.value)))"])
    return .all(term.demands + [isFound])
  }

  /// The values that SQL compares with, nil where one compares otherwise in Swift.
  private static func values(
    _ elements: [StoreValue],
    _ content: ColumnMap.Content
  ) -> [SQLValue]? {
    var values: [SQLValue] = []
    for element in elements {
      guard let operand = Operand(element, for: content) else { return nil }
      if let value = operand.sqlValue { values.append(value) }
    }
    return values
  }

  /// What stands in the parentheses: short lists value by value, long ones as one JSON text.
  private static func list(_ values: [SQLValue]) -> SQLFragment? {
    if values.count > shortList, let text = JSONList.encoded(values) {
      return "SELECT value FROM json_each(\(bind: .text(text)))"
    }
    guard values.count <= longestList else { return nil }
    return .list(values.map { "\(bind: $0)" })
  }
}

/// Lists of values as JSON that SQLite reads back exactly.
enum JSONList {
  /// The list, nil where a value is not certain to survive: reals, bytes, texts with U+0000.
  static func encoded(_ values: [SQLValue]) -> String? {
    var text: [UInt8] = [UInt8(ascii: "[")]
    for value in values {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      switch value {
      case .integer(let number): text += "\(number)".utf8
      case .text(let string):
        guard append(string, to: &text) else { return nil }
      case .null, .real, .blob: return nil
      }
    }
    text.append(UInt8(ascii: "]"))
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ string: String, to text: inout [UInt8]) -> Bool {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case 0: return false
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        text.append(UInt8(ascii: "\\"))
        text.append(byte)
      case 1..<0x20:
        text += (byte < 0x10 ? "\\u000" : "\\u00").utf8
        text += String(byte, radix: 16).utf8
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
    return true
  }
}
