import Foundation
import StoreProtocol

extension RandomSource {
  /// Returns an element of a list that is not empty.
  mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

  /// Returns a value of a type, except objects; often a difficult one.
  mutating func value(of type: QueryType) -> StoreValue {
    switch type {
    case .scalar(let type): return scalar(of: type)
    case .optional(let wrapped): return oneIn(4) ? .null : value(of: wrapped)
    case .object: return .null
    case .list(.object): return .identifiers([])
    case .list(let element): return .array((0..<below(4)).map { _ in value(of: element) })
    case .dictionary(let element):
      let keys = some(of: ["a", "b", "\u{E9}", "", "1"], atMost: 3)
      return .composite(keys.map { .init($0, value(of: element)) })
    case .structure(let name): return structure(SampleTypes.structures[name] ?? [])
    case .tree: return pick(SampleValues.values(of: .codable))
    }
  }

  /// Returns a value of a type, usually one that other rows also have.
  mutating func scalar(of type: AttributeType) -> StoreValue {
    if type.isInteger, oneIn(2) {
      return .integer(Int64(oneIn(4) && type.rawValue.hasPrefix("i") ? -below(4) : below(8)))
    }
    switch type {
    case .string where oneIn(3):
      return .string(pick(["a", "a ", "ab", "abc", "A", "Rome", "rome beach", "sea", "b"]))
    case .double where oneIn(3): return .double(pick([0.5, 1, 2, 3, -1.5, 10]))
    case .decimal where oneIn(3): return .decimal(pick([1, 2, 3, 10, Decimal(15) / 10]))
    default: return pick(SampleValues.values(of: type))
    }
  }

  // Nil properties may be missing or present as nil; both mean the same.
  private mutating func structure(
    _ members: [(name: String, type: QueryType)]
  ) -> StoreValue {
    var result: [StoreValue.Member] = []
    for member in members {
      let value = value(of: member.type)
      if value.isNull, oneIn(2) { continue }
      result.append(.init(member.name, value))
    }
    return .composite(result)
  }
}
