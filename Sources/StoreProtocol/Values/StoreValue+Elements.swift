import Foundation

extension StoreValue {
  /// The rows that a reference or a list of references refers to.
  package var identifiers: [PersistentIdentifier] {
    switch self {
    case .identifier(let one): [one]
    case .identifiers(let list): list
    default: []
    }
  }

  /// Returns the value with other references; `nil` removes one.
  public func mappingReferences(
    _ body: (PersistentIdentifier) -> PersistentIdentifier?
  ) -> StoreValue {
    switch self {
    case .identifier(let one): body(one).map(StoreValue.identifier) ?? .null
    case .identifiers(let list): .identifiers(list.compactMap(body))
    default: self
    }
  }

  /// The value without repeated references in a list.
  public var withoutRepeats: StoreValue {
    if case .identifiers(let list) = self { .identifiers(list.withoutRepeats) } else { self }
  }

  /// The elements of a list of values or objects, or `nil` for anything else.
  var elementsOfList: [StoreValue]? {
    switch self {
    case .array(let elements): elements
    case .identifiers(let list): list.map(StoreValue.identifier)
    default: nil
    }
  }

  /// The elements of any value that is a sequence in Swift: a list, a string, or bytes.
  package var elements: [StoreValue]? {
    switch self {
    case .string(let text): text.map { .string(String($0)) }
    case .data(let bytes): bytes.map { .integer(Int64($0)) }
    default: elementsOfList
    }
  }

  /// The number of elements, characters, bytes or entries of a dictionary.
  package var elementCount: Int? {
    switch self {
    case .array(let elements): elements.count
    case .identifiers(let list): list.count
    case .string(let text): text.count
    case .data(let bytes): bytes.count
    case .composite(let members): members.count
    default: nil
    }
  }

  /// Whether there is no element, which is cheaper to determine for strings than their count.
  package var hasNoElements: Bool? {
    if case .string(let text) = self { return text.isEmpty }
    return elementCount.map { $0 == 0 }
  }
}
