import StoreHelpers
import StoreProtocol
import Testing

@Suite struct TemporaryKeysTests {
  @Test(arguments: [[5, 6, 7, 9], [1, 1_000_000, 2], [.min, .max], [-3, -1, -2]])
  func `contain only the numbers of their batch`(numbers: [Int64]) {
    var keys = TemporaryKeys(numbers)
    #expect(keys.isEmpty)
    for (index, number) in numbers.enumerated() {
      #expect(keys.contains(number))
      #expect(keys[number] == nil)
      keys.set(Int64(index) + 1, of: number)
      #expect(!keys.isEmpty)
    }
    for (index, number) in numbers.enumerated() { #expect(keys[number] == Int64(index) + 1) }
    for missing in [0, 8, 3, .min + 1, .max - 1] as [Int64] where !numbers.contains(missing) {
      #expect(!keys.contains(missing))
      #expect(keys[missing] == nil)
    }
  }

  @Test func `are equal if they map to the same keys`() {
    var (one, other) = (TemporaryKeys([4, 5]), TemporaryKeys([4, 5]))
    one.set(1, of: 4)
    #expect(one != other)
    other.set(1, of: 4)
    #expect(one == other)
    #expect(TemporaryKeys([]).isEmpty)
    #expect(!TemporaryKeys([]).contains(0))
  }
}
