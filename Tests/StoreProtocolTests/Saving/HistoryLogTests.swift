import Foundation
import StoreHelpers
import StoreProtocol
import StoreTestSupport
import Synchronization
import Testing

@Suite struct HistoryLogTests {
  /// A transaction that counts how often its number is read.
  private struct Entry: HistoryEntry, Equatable {
    let index: Int64
    let reads: Counter
    var number: Int64 {
      reads.count.add(1, ordering: .relaxed)
      return index
    }
    var timestamp: Date { Date(timeIntervalSinceReferenceDate: Double(index % 7)) }
    var size: Int { 1 }
    var save: UUID? { nil }
    func text(_ text: StoreHistoryFilter.Text) -> String? { index % 3 == 0 ? "a" : nil }
    func changes(anyOf entities: Set<String>) -> Bool { index % 5 == 0 }

    static func == (first: Entry, second: Entry) -> Bool { first.index == second.index }
  }

  private final class Counter: Sendable {
    let count = Atomic(0)
  }

  private let counter = Counter()

  private func entries(_ count: Int64) -> [Entry] {
    // Every fourth save is not in the history.
    (1...count).filter { $0 % 4 != 0 }.map { Entry(index: $0, reads: counter) }
  }

  @Test func `what follows a token is found without reading the transactions before`() {
    let log = HistoryLog(entries(10_000))
    counter.count.store(0, ordering: .relaxed)
    let query = StoreHistoryQuery(
      filter: .all([.number(.greater, 9_990), .not(.text(.author, ["a"]))])
    )
    #expect(log.entries(query).map(\.index) == [9_991, 9_994, 9_995, 9_997, 9_998])
    #expect(counter.count.load(ordering: .relaxed) < 100)
    _ = log.bounds(last: 10_000, in: "store")
    #expect(counter.count.load(ordering: .relaxed) < 200)
  }

  @Test func `what a reader has not read expires by number and size, and not by age`() {
    let retention = HistoryRetention(age: 1, count: 1, size: 1)
    let now = Date.now
    func isOver(_ number: Int64, size: Int = 2, last: Int64, reader: Int64?) -> Bool {
      retention.isOver(number, .distantPast, sizeAfter: size, last: last, now: now, reader: reader)
    }
    #expect(isOver(5, last: 9, reader: nil))
    #expect(isOver(5, last: 9, reader: 5))
    #expect(!isOver(5, last: 9, reader: 4))
    #expect(!isOver(5, last: 1_000_004, reader: 4))
    #expect(isOver(5, last: 1_000_005, reader: 4))
    #expect(!isOver(5, size: 256 << 20, last: 9, reader: 4))
    #expect(isOver(5, size: 256 << 20 + 1, last: 9, reader: 4))
  }

  private static let samples: [StoreHistoryFilter?] = [
    nil, .constant(false), .constant(true), .number(.greater, .max), .number(.less, .min),
    .number(.greater, 12), .number(.greaterOrEqual, 13), .number(.less, 5),
    .number(.lessOrEqual, 5), .number(.equal, 7), .number(.equal, 8), .number(.notEqual, 7),
    .numbers([]), .numbers([3, 8, 21]), .text(.author, ["a"]), .changes(entities: ["Trip"]),
    .timestamp(.less, Date(timeIntervalSinceReferenceDate: 3)), .not(.number(.greater, 9)),
    .any([.number(.less, 4), .number(.greater, 20)]), .all([]), .any([]),
    .all([.number(.greater, 3), .number(.less, 19), .changes(entities: ["Trip"])]),
    .all([.number(.greater, 9), .number(.less, 6)]),
    .all([.numbers([5, 6, 7]), .any([.number(.equal, 6), .text(.author, [nil])])]),
    .number(.greaterOrEqual, .min), .number(.lessOrEqual, .max),
  ]

  @Test(arguments: samples)
  func `a query has the same result as the evaluation of all transactions`(
    filter: StoreHistoryFilter?
  ) {
    let all = entries(24)
    let log = HistoryLog(all)
    let orders: [[StoreHistoryQuery.Term]] = [
      [], [.init(.number, isReversed: true)], [.init(.timestamp)],
    ]
    for order in orders {
      for limit in [nil, 0, 3] {
        let query = StoreHistoryQuery(filter: filter, order: order, limit: limit)
        #expect(log.entries(query) == query.evaluate(over: all))
      }
    }
    // All transactions with exact numbers satisfy the filter, and no others.
    let numbers = HistoryNumbers(filter)
    let range = all.filter { numbers.lowest <= $0.index && $0.index <= numbers.highest }
    let found = StoreHistoryQuery(filter: filter).evaluate(over: all)
    #expect(found.allSatisfy(range.contains))
    if numbers.isExact { #expect(range == found) }
  }

  @Test func `the save at a number is the last one up to it`() {
    let log = HistoryLog(entries(24), cut: 2)
    for (number, save) in [(2, 2), (3, 3), (4, 3), (5, 5), (24, 23)] as [(Int64, Int64)] {
      let found = log.saveIdentifier(at: number, in: "store")
      #expect(found == UUID(ofSave: save, in: "store"))
    }
    #expect(HistoryLog<Entry>().saveIdentifier(at: 0, in: "store") == nil)
  }
}
