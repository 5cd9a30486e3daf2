import Foundation

/// What a decoder from nothing fills values with.
///
/// Placeholders are zero and empty throughout. Probes are filled differently in each round, by
/// the names of the members, so that a value tells which member it came from.
struct Filling {
  /// The round of a probe, nil for a placeholder.
  var round: Int?
  private(set) var depth = 0
  private(set) var path: [String] = []

  init(round: Int? = nil) {
    self.round = round
  }

  /// The filling of a member.
  func inside(_ name: String?) -> Filling {
    var result = self
    result.depth += 1
    if let name { result.path.append(name) }
    return result
  }

  /// Which of two values stands here in this round; always the first for a placeholder.
  var isSecond: Bool {
    guard let round else { return false }
    // FNV-1a over the names: it must not differ from run to run as Hasher does.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.joined(separator: "/").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash ^= hash >> 31
    hash = hash &* 0x9e37_79b9_7f4a_7c15
    return (hash >> UInt64(24 + round)) & 1 == 1
  }

  /// A value of a type that stores know.
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
