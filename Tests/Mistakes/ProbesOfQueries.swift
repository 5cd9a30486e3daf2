import Foundation
import StoreProtocol

/// Probes of filters, orders and windows.
enum ProbesOfQueries {
  private static func date(_ seconds: Double) -> StoreValue {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  static let all: [String: Probe] = [
    "a half-open range excludes its end": { probe in
      let books = try probe.add([1.0, 2].map { new("Book", ["made": date($0)]) })
      let query = StoreQuery(
        entity: "Book",
        filter: .isInRange(
          .own("made"),
          lower: .constant(date(1)),
          upper: .constant(date(2)),
          closed: false
        )
      )
      try expect("the rows", probe.rows(query), is: [books[0]])
    },
    "NaN is below and above nothing": { probe in
      _ = try probe.add([new("Book", ["price": .double(1)]), new("Book", ["price": .double(.nan)])])
      for comparison in [QueryExpression.Comparison.less, .greaterOrEqual, .equal] {
        let query = StoreQuery(entity: "Book", filter: .own("price", comparison, .double(.nan)))
        try expect("the rows", probe.rows(query).count, is: 0)
      }
    },
    "a list contains no NaN": { probe in
      _ = try probe.add("Book", ["price": .double(.nan)])
      let list = QueryExpression.constant(.array([.double(.nan), .double(2)]))
      let query = StoreQuery(entity: "Book", filter: .contains(list, .own("price")))
      try expect("the rows", probe.rows(query).count, is: 0)
    },
    "NaN is last in an order": { probe in
      let prices: [Double] = [.nan, 2, .nan, 1]
      let books = try probe.add(prices.map { new("Book", ["price": .double($0)]) })
      let query = StoreQuery(entity: "Book", sort: [QuerySort(property: "price")])
      try expect("the rows", probe.rows(query), is: [books[3], books[1], books[0], books[2]])
    },
    "nil is first in an order": { probe in
      let books = try probe.add([new("Book", ["pages": .integer(1)]), new("Book")])
      let query = StoreQuery(entity: "Book", sort: [QuerySort(property: "pages")])
      try expect("the rows", probe.rows(query), is: [books[1], books[0]])
    },
    "equal rows of an order are in the order of keys": { probe in
      let books = try probe.add(
        [2, 1, 2, 1].map { new("Book", ["note": .string("n"), "pages": .integer($0)]) }
      )
      let query = StoreQuery(
        entity: "Book",
        filter: .own("note", .equal, .string("n")),
        sort: [QuerySort(property: "note", isReversed: true)]
      )
      try expect("the rows", probe.rows(query), is: books)
    },
    "rows of several entities are in the order of keys": { probe in
      let books = try probe.add([new("Novel"), new("Book"), new("Novel"), new("Book")])
      try expect("the rows", probe.rows(StoreQuery(entity: "Book")), is: books)
    },
    "an offset applies to counts": { probe in
      _ = try probe.add([new("Tag"), new("Tag"), new("Tag")])
      let query = StoreQuery(entity: "Tag", offset: 2)
      try expect("the count", probe.store.count(query), is: 1)
    },
    "dates that differ by a tenth of a millisecond differ": { probe in
      let books = try probe.add([0.000_1, 0.000_2].map { new("Book", ["made": date($0)]) })
      let query = StoreQuery(entity: "Book", filter: .own("made", .equal, date(0.000_1)))
      try expect("the rows", probe.rows(query), is: [books[0]])
      try expect("the date", probe.value("made", of: books[1]), is: date(0.000_2))
    },
  ]
}

/// All probes by name.
let probes = ProbesOfRows.all.merging(ProbesOfUniqueness.all) { $1 }
  .merging(ProbesOfHistory.all) { $1 }.merging(ProbesOfQueries.all) { $1 }
