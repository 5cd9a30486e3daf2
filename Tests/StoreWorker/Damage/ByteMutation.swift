/// Damage to bytes of any format.
enum ByteMutation {
  /// Does one thing to bytes.
  ///
  /// - Returns: What it was.
  static func apply(to bytes: inout [UInt8], _ numbers: inout Numbers) -> String {
    guard !bytes.isEmpty else {
      bytes = [UInt8](repeating: 0, count: numbers.next(below: 100))
      return "\(bytes.count) zeros"
    }
    let index = randomIndex(in: bytes, &numbers)
    switch numbers.next(below: 10) {
    case 0, 1, 2:
      bytes[index] ^= 1 << UInt8(numbers.next(below: 8))
      return "bit of \(index)"
    case 3, 4:
      bytes[index] = edge(&numbers)
      return "byte \(index) is \(bytes[index])"
    case 5:
      bytes.removeSubrange(index...)
      return "cut at \(index)"
    case 6:
      let count = numbers.next(below: 5000)
      bytes += (0..<count).map { _ in numbers.next(below: 3) == 0 ? edge(&numbers) : 0 }
      return "\(count) bytes more"
    case 7: return fill(&bytes, index, &numbers)
    case 8: return copy(&bytes, index, &numbers)
    default: return remove(&bytes, index, &numbers)
    }
  }

  /// Somewhere, more often near the beginning, where formats say what follows.
  private static func randomIndex(in bytes: [UInt8], _ numbers: inout Numbers) -> Int {
    numbers.next(below: numbers.next(below: 3) == 0 ? min(bytes.count, 128) : bytes.count)
  }

  /// A byte, most often one of those at which something changes.
  static func edge(_ numbers: inout Numbers) -> UInt8 {
    let edges: [UInt8] = [0, 1, 0x0A, 0x0D, 0x20, 0x22, 0x30, 0x7B, 0x7F, 0x80, 0xC3, 0xED, 0xFF]
    let choice = numbers.next(below: 2 * edges.count)
    return choice < edges.count ? edges[choice] : UInt8(numbers.next(below: 256))
  }

  /// A length that is small, or that of a sector or page.
  private static func length(_ numbers: inout Numbers) -> Int {
    [1 + numbers.next(below: 40), 512, 4096][numbers.next(below: 3)]
  }

  private static func fill(
    _ bytes: inout [UInt8],
    _ start: Int,
    _ numbers: inout Numbers
  ) -> String {
    let end = min(bytes.count, start + length(&numbers))
    let value: UInt8 = numbers.next(below: 3) == 0 ? 0xFF : 0
    for index in start..<end { bytes[index] = value }
    return "\(start)..<\(end) is \(value)"
  }

  /// Copies a block over another, or exchanges both, as a disk does that mixes up sectors.
  private static func copy(
    _ bytes: inout [UInt8],
    _ start: Int,
    _ numbers: inout Numbers
  ) -> String {
    let other = numbers.next(below: bytes.count)
    let count = min(length(&numbers), bytes.count - max(start, other), abs(start - other))
    let isExchange = numbers.next(below: 2) == 0
    for index in 0..<max(0, count) {
      if isExchange {
        bytes.swapAt(start + index, other + index)
      } else {
        bytes[start + index] = bytes[other + index]
      }
    }
    return "\(count) bytes of \(other) \(isExchange ? "exchanged with" : "copied to") \(start)"
  }

  private static func remove(
    _ bytes: inout [UInt8],
    _ start: Int,
    _ numbers: inout Numbers
  ) -> String {
    let end = min(bytes.count, start + length(&numbers))
    if numbers.next(below: 2) == 0 {
      bytes.removeSubrange(start..<end)
      return "\(start)..<\(end) gone"
    }
    bytes.insert(contentsOf: bytes[start..<end], at: start)
    return "\(start)..<\(end) twice"
  }
}
