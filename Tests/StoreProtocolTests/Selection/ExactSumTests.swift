import StoreTestSupport
import Testing

@testable import QueryEvaluation
@testable import StoreProtocol

@Suite("A sum of floating-point numbers")
struct ExactSumTests {
  private func sum(_ numbers: [Double]) -> Double {
    var sum = ExactSum()
    for number in numbers { sum.add(number) }
    return sum.value
  }

  @Test func `is exact if plain addition loses all digits`() {
    #expect(sum([1e308, 1e308, -1e308, -1e308, 3]) == 3)
    #expect(sum([1, 1e100, 1, -1e100]) == 2)
    #expect(sum(Array(repeating: 0.1, count: 10)) == 1)
    #expect(sum([.leastNonzeroMagnitude, .leastNonzeroMagnitude]) == 2 * .leastNonzeroMagnitude)
    let below = Double.leastNormalMagnitude.nextDown
    #expect(sum([.leastNormalMagnitude, -.leastNonzeroMagnitude]) == below)
    #expect(sum([]) == 0)
    #expect(sum([-2.5, 1]) == -1.5)
  }

  @Test func `is rounded once, to the nearest, ties to even`() {
    #expect(sum([1, 0x1p-53]) == 1)
    #expect(sum([1, 0x1p-53, 0x1p-200]) == 1 + 0x1p-52)
    #expect(sum([1 + 0x1p-52, 0x1p-53]) == 1 + 0x1p-51)
    #expect(sum([.greatestFiniteMagnitude, .greatestFiniteMagnitude]) == .infinity)
    #expect(sum([.greatestFiniteMagnitude, 1]) == .greatestFiniteMagnitude)
  }

  @Test func `of infinities and NaN equals plain addition`() {
    #expect(sum([1, .infinity]) == .infinity)
    #expect(sum([-.infinity, 1e308, 1e308]) == -.infinity)
    #expect(sum([.infinity, -.infinity]).isNaN)
    #expect(sum([.nan, 1]).isNaN)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `does not depend on the order`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var numbers = (0..<500).map { _ in
      let number = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
      return number.isFinite ? number : 1
    }
    // Each number is also subtracted, so that the sum is known.
    numbers += numbers.map { -$0 }
    numbers += [0.5, 3, 0x1p-60]
    let expected = 3.5
    for _ in 0..<5 {
      numbers.shuffle(using: &random)
      #expect(sum(numbers) == expected)
    }
  }
}
