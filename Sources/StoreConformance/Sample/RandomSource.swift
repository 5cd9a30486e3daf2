/// A reproducible source of random numbers: the generator SplitMix64.
struct RandomSource: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to, but excluding, a bound.
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Returns true with a probability of one in a number.
  mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  /// Returns some distinct elements of a list, in any order.
  mutating func some<Element>(of list: [Element], atMost count: Int) -> [Element] {
    Array(list.shuffled(using: &self).prefix(below(count + 1)))
  }
}
