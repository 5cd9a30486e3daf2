/// A sum of floating-point numbers that is rounded only once, at the end.
///
/// The sum is an integer multiple of the smallest number, 2^-1074, in limbs of 32 bits. It
/// therefore does not depend on the order of addition. (The idea is Kulisch's long accumulator.)
package struct ExactSum {
  // Room for 2^53 values of 2^1023, in units of 2^-1074, in limbs of 32 bits, and for carries.
  private static let limbCount = 70
  private var limbs = [Int64](repeating: 0, count: limbCount)
  private var pendingCarries = 0
  private var special = 0.0

  package init() {}

  package mutating func add(_ number: Double) {
    guard number.isFinite else {
      special += number
      return
    }
    guard number != 0 else { return }
    // The significand as an integer, and the position of its lowest bit above 2^-1074.
    let isSubnormal = number.exponentBitPattern == 0
    let significand = number.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
    let shift = isSubnormal ? 0 : Int(number.exponentBitPattern) - 1
    let (limb, bit) = (shift / 32, UInt64(shift % 32))
    let low = (significand & 0xFFFF_FFFF) << bit
    let high = (significand >> 32) << bit
    let middle = (low >> 32) + (high & 0xFFFF_FFFF)
    let sign: Int64 = number.sign == .minus ? -1 : 1
    limbs[limb] += sign * Int64(low & 0xFFFF_FFFF)
    limbs[limb + 1] += sign * Int64(middle)
    limbs[limb + 2] += sign * Int64(high >> 32)
    pendingCarries += 1
    if pendingCarries == 1 << 28 { carry() }
  }

  /// The sum, rounded to the nearest value, ties to even.
  package var value: Double {
    guard special == 0 else { return special }
    var sum = self
    sum.carry()
    let isNegative = (sum.limbs.last { $0 != 0 } ?? 0) < 0
    if isNegative {
      for index in sum.limbs.indices { sum.limbs[index].negate() }
      sum.carry()
    }
    let magnitude = Self.rounded(sum.limbs)
    return isNegative ? -magnitude : magnitude
  }

  /// Normalizes every limb except the highest to the range from 0 to 2^32.
  private mutating func carry() {
    for index in 0..<Self.limbCount - 1 {
      limbs[index + 1] += limbs[index] >> 32
      limbs[index] &= 0xFFFF_FFFF
    }
    pendingCarries = 0
  }

  private static func rounded(_ limbs: [Int64]) -> Double {
    guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
    let bits = top * 32 + (64 - limbs[top].leadingZeroBitCount)
    // The highest 64 bits of the number; of the lower bits, it only matters whether any is set.
    var leading: UInt64 = 0
    let lowest = bits - 64
    for index in max(0, top - 2)...top {
      let shift = index * 32 - lowest
      let limb = UInt64(limbs[index])
      leading |= shift >= 0 ? limb << UInt64(shift) : limb >> UInt64(-shift)
    }
    guard lowest > 0 else {
      // The number has at most 64 bits, so it fits after undoing the shift above.
      return Double(sign: .plus, exponent: -1074, significand: Double(leading >> UInt64(-lowest)))
    }
    let hasMore = (0...lowest / 32).contains { index in
      let rest = lowest - index * 32
      return rest >= 32 ? limbs[index] != 0 : limbs[index] & ((1 << Int64(rest)) - 1) != 0
    }
    if hasMore { leading |= 1 }
    return Double(sign: .plus, exponent: lowest - 1074, significand: Double(leading))
  }
}
