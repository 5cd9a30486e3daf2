import Foundation
import StoreProtocol
import Testing

@Suite("Random predicates mean the same for rows and objects")
struct RandomPredicateTests {
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `two hundred and fifty predicates on a library`(_ seed: UInt64) throws {
    let library = try Library(seed: seed, bookCount: 40)
    var matched = 0
    for number in 0..<250 as Range<UInt64> {
      let predicate = RandomPredicate.make(seed: seed * 10_000 + number)
      let rows = try library.rows(matching: predicate)
      let objects = try library.objects(matching: predicate)
      try #require(rows == objects, "predicate seed \(seed * 10_000 + number), library \(seed)")
      if !rows.isEmpty, rows.count < 40 { matched += 1 }
    }
    #expect(matched > 60, "most predicates say nothing")
  }

  @Test func `a predicate and its negation part the rows that Swift can decide`() throws {
    let library = try Library(seed: 99)
    for seed in 0..<200 as Range<UInt64> {
      let predicate = RandomPredicate.make(seed: seed)
      let filter = try #require(
        try StoreQuery(FetchDescriptor(predicate: predicate), schema: library.schema).filter
      )
      func count(_ filter: QueryExpression?) throws -> Int {
        let query = StoreQuery(entity: "Book", filter: filter)
        return try library.evaluator.answer(query, over: library.rows).count
      }
      #expect(try count(filter) + count(.not(filter)) == count(nil))
    }
  }
}
