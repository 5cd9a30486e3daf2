import Foundation
import StoreProtocol

/// The values that a placeholder decoder returns.
///
/// Placeholders are always zero and empty. Probes are filled differently in each round, by the
/// names of the members, so that a value identifies its member. Their values are such that most
/// computed properties return something else: strings with both cases and spaces, numbers with
/// fractions and both signs, past and future dates.
struct Filling {
  /// The round of a probe, or `nil` for a placeholder.
  var round: Int?
  /// Whether no value is missing, and all values of a type are alike.
  private(set) var isFull = false
  /// Whether a type's own decoding reads the values, which may count or allocate by them.
  private var isDecoding = false
  /// Whether all values are zero, empty or one, for a type that rejects others.
  private(set) var isPlain = false
  private(set) var depth = 0
  private(set) var path: [String] = []

  init(round: Int? = nil) {
    self.round = round
  }

  /// The fillings of the probes of a key path.
  ///
  /// The first are full: a computed property that expects a value finds it, and has returned
  /// something else before the values are odd or missing.
  static let probes =
    (0..<variantCount).map { round in
      var full = Filling(round: round)
      full.isFull = true
      return full
    } + (0..<24).map { Filling(round: $0) }

  /// Returns the filling of a member.
  func inside(_ name: String?) -> Filling {
    var result = self
    result.depth += 1
    if let name { result.path.append(name) }
    return result
  }

  /// Returns the filling of an element of a list: the elements of a full list differ, in both
  /// orders.
  func element(_ index: Int) -> Filling {
    var result = inside(nil)
    if isFull, let round { result.round = round + index }
    return result
  }

  /// The filling of a decoder.
  var decoding: Filling {
    var result = self
    result.isDecoding = true
    return result
  }

  /// This filling with values that most types accept.
  var plain: Filling {
    var result = self
    result.isPlain = true
    return result
  }

  /// Whether the second of two values is used at this path in this round; always `false` for a
  /// placeholder.
  var isSecond: Bool {
    guard let round else { return false }
    if isFull { return true }
    // FNV-1a over the names, because it must not differ between runs like Hasher.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.joined(separator: "/").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash ^= hash >> 31
    hash = hash &* 0x9e37_79b9_7f4a_7c15
    return (hash >> UInt64(24 + round)) & 1 == 1
  }

  /// Whether an optional value is `nil` at this path in this round.
  var isMissing: Bool { isSecond && !isFull }

  /// The number of elements of a list; an element can contain a list of its own type.
  var elementCount: Int { isFull && depth < 4 ? 2 : isSecond && !isFull ? 1 : 0 }

  /// Returns a value of a type that stores support.
  func scalar(_ type: any StoreScalar.Type) -> (any StoreScalar)? {
    let first = type.init(storeValue: type.placeholder)
    guard isSecond else { return first }
    return type.init(storeValue: second(type.attributeType))
      ?? type.init(storeValue: plain.second(type.attributeType)) ?? first
  }

  private static let variantCount = 4

  /// All characters of ASCII and some others, many times.
  private static let longText = String(
    repeating: String(String.UnicodeScalarView((1...127).map { .init(UInt8($0)) })) + "e\u{301}ß",
    count: 40
  )

  private func second(_ type: AttributeType) -> StoreValue {
    // The last variant is for values that were returned unchanged before: it may overflow.
    let variant =
      isPlain ? 0 : isFull ? (round ?? 0) % Self.variantCount : 1 + (round ?? 0) % 2
    return switch type {
    case .bool: .bool(true)
    case .string:
      .string(["1", " Zé y\n", String(repeating: "aB ", count: 40), Self.longText][variant])
    case .url: .string(["1", "HTTP://a.B/c%20?d", "file:///E", "http://a:80/b/../c?e=#f"][variant])
    case .date: .date(.init(timeIntervalSinceReferenceDate: [1, -9_876.25, 8e9, -9e10][variant]))
    case .data:
      .data(.init([[1], [0, 255], .init(repeating: 7, count: 99), Array(0...255)][variant]))
    case .uuid: .uuid(.init(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)))
    case .decimal: .decimal([1, -3.75, 10_000.25, -1e30][variant])
    case .float, .double: .double([1, -3.75, 10_000.25, -1e30][variant])
    default: .integer((isDecoding ? [1, 3, 101, 64] : [1, -7, 10_007, .min])[variant])
    }
  }
}
