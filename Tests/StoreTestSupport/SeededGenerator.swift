/// Random numbers that are the same for the same seed on every machine and in every run.
///
/// The algorithm is SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number
/// generators*, 2014): the state grows by a constant, and each state is mixed into a number.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension RandomNumberGenerator {
  /// One of the elements of a list that is not empty.
  public mutating func pick<T>(_ list: [T]) -> T {
    list[Int.random(in: list.indices, using: &self)]
  }
}
