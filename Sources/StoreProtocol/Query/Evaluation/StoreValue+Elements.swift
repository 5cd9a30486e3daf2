import Foundation

extension StoreValue {
  /// The elements of a list of values or objects, nil for anything else.
  var elementsOfList: [StoreValue]? {
    switch self {
    case .array(let elements): elements
    case .identifiers(let list): list.map(StoreValue.identifier)
    default: nil
    }
  }

  /// The elements of anything that is a sequence in Swift: a list, a text, bytes.
  var elements: [StoreValue]? {
    switch self {
    case .string(let text): text.map { .string(String($0)) }
    case .data(let bytes): bytes.map { .integer(Int64($0)) }
    default: elementsOfList
    }
  }

  /// The number of elements, characters, bytes or entries of a dictionary.
  var elementCount: Int? {
    switch self {
    case .array(let elements): elements.count
    case .identifiers(let list): list.count
    case .string(let text): text.count
    case .data(let bytes): bytes.count
    case .composite(let members): members.count
    default: nil
    }
  }

  /// Whether there is no element, which for texts is cheaper to tell than their number.
  var hasNoElements: Bool? {
    if case .string(let text) = self { return text.isEmpty }
    return elementCount.map { $0 == 0 }
  }
}
