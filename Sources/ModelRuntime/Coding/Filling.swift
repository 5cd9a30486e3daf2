import Foundation
import StoreProtocol

/// The values that a placeholder decoder returns.
///
/// Placeholders are always zero and empty. Probes are filled differently in each round, by the
/// names of the members, so that a value identifies its member.
struct Filling {
  /// The round of a probe, or `nil` for a placeholder.
  var round: Int?
  private(set) var depth = 0
  private(set) var path: [String] = []

  init(round: Int? = nil) {
    self.round = round
  }

  /// Returns the filling of a member.
  func inside(_ name: String?) -> Filling {
    var result = self
    result.depth += 1
    if let name { result.path.append(name) }
    return result
  }

  /// Whether the second of two values is used at this path in this round; always `false` for a
  /// placeholder.
  var isSecond: Bool {
    guard let round else { return false }
    // FNV-1a over the names, because it must not differ between runs like Hasher.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.joined(separator: "/").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash ^= hash >> 31
    hash = hash &* 0x9e37_79b9_7f4a_7c15
    return (hash >> UInt64(24 + round)) & 1 == 1
  }

  /// Returns a value of a type that stores support.
  func scalar(_ type: any StoreScalar.Type) -> any StoreScalar {
    guard isSecond else { return type.placeholder }
    let second: StoreValue =
      switch type.attributeType {
      case .bool: .bool(true)
      case .string, .url: .string("1")
      case .date: .date(.init(timeIntervalSinceReferenceDate: 1))
      case .data: .data(.init([1]))
      case .uuid: .uuid(.init(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)))
      case .decimal: .decimal(1)
      case .float, .double: .double(1)
      default: .integer(1)
      }
    return type.init(storeValue: second) ?? type.placeholder
  }
}
