import StoreProtocol
import Testing

@Suite struct CollectionOrderTests {
  @Test(arguments: 0..<9) func `the second part begins after the first`(count: Int) {
    for first in 0...count {
      let list = (0..<count).map { $0 < first }
      #expect(list.partitioningIndex { !$0 } == first)
      // Indices of a slice do not begin at zero.
      #expect((list + [false])[min(1, first)...].partitioningIndex { !$0 } == first)
    }
  }

  @Test(arguments: [0, 1, 3, 20, 30]) func `the smallest elements are the first ones of a sort`(
    count: Int
  ) {
    let list = (0..<20).map { (key: $0 * 7 % 5, number: $0) }
    let found = list.smallest(count) { $0.key < $1.key }
    // Equal elements stay in their order.
    let sorted = list.sorted { ($0.key, $0.number) < ($1.key, $1.number) }
    #expect(found.map(\.number) == sorted.prefix(count).map(\.number))
  }
}
