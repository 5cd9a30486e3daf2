import StoreProtocol
import StoreTestSupport
import Testing

@testable import JSONFileStore

/// Tests of sorting rows by numbers that have the order of their values.
@Suite struct SortNumbersTests {
  private static let numbers: [Double] = [
    0, -0.0, 1, -1, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
    1.5, -1.5,
  ]
  private static let cells = [Cell.null] + numbers.map(Cell.double)

  private func column(_ type: CellType, _ cells: [Cell]) -> Column {
    var column = Column(type: type)
    for (slot, cell) in cells.enumerated() { column.append(cell, at: slot) }
    return column
  }

  private func check(_ column: Column, _ count: Int, isReversed: Bool, isAlone: Bool) {
    let slots = (0..<Int32(count)).reversed() as [Int32]
    let order = column.sortingComparison()
    let first = isReversed ? { order($1, $0) } : order
    // A second term or the order of the slots decides between equal values.
    let second: (Int, Int) -> Int = isAlone ? { $0 - $1 } : { $0 % 7 - $1 % 7 }
    let precedes = TableIndex.precedence([first, second])
    let sorted = column.sorted(slots, isReversed: isReversed, isAlone: isAlone, by: precedes)
    #expect(sorted == slots.sorted { precedes(Int($0), Int($1)) })
  }

  @Test(arguments: [false, true], [false, true])
  func `numbers sort rows in the order of their values`(isReversed: Bool, isAlone: Bool) {
    var random = SeededGenerator(seed: 4)
    for type in [CellType.double, .date] {
      let cells = (0..<300).compactMap { _ in Self.cells.randomElement(using: &random) }
      check(column(type, cells), cells.count, isReversed: isReversed, isAlone: isAlone)
    }
    let numbers: [Cell] = [
      .null, .integer(.min), .integer(.max), .integer(-1), .integer(0), .integer(1),
    ]
    let cells = (0..<300).compactMap { _ in numbers.randomElement(using: &random) }
    for some in [cells, cells.map { if case .null = $0 { .integer(.min) } else { $0 } }] {
      check(
        column(.integer(.min ... .max), some),
        some.count,
        isReversed: isReversed,
        isAlone: isAlone
      )
    }
  }
}
