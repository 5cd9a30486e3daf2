import Foundation
import StoreProtocol

/// A value with the equality of queries, for lookup in large lists.
struct HashedValue: Hashable {
  let value: StoreValue

  init(_ value: StoreValue) { self.value = value }

  static func == (lhs: HashedValue, rhs: HashedValue) -> Bool { lhs.value.isEqual(to: rhs.value) }

  // Values that compare equal must have equal hashes: numbers of all kinds, strings by canonical
  // equivalence, objects by key and their encoded identifiers, lists of both kinds, composites that
  // leave out nil.
  func hash(into hasher: inout Hasher) {
    switch value {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(Double(value))
    case .unsigned(let value): hasher.combine(Double(value))
    case .double(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value.comparable)
    case .date(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .identifier(let value): hasher.combine(value)
    case .identifiers(let list): hasher.combine(list.count)
    case .array(let list): hasher.combine(list.count)
    case .composite:
      if let identifier = value.encodedIdentifier {
        hasher.combine(identifier)
      } else {
        hasher.combine(1)
      }
    }
  }

  /// Whether this is a decimal number, whose hash differs from that of an equal number of another
  /// kind.
  var isDecimal: Bool {
    if case .decimal = value { return true }
    return false
  }
}
