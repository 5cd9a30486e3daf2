import Foundation
import StoreProtocol

/// Probes of filters, orders and windows.
enum ProbesOfQueries {
  private static func date(_ seconds: Double) -> StoreValue {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  /// Saves books with some numbers of pages.
  private static func pages(
    _ numbers: Range<Int64>,
    in probe: ProbeStore
  ) throws -> [PersistentIdentifier] {
    try probe.add(numbers.map { new("Book", ["pages": .integer($0)]) })
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
      let seats = try probe.add(prices.map { new("Seat", ["number": .double($0)]) })
      let terms = [QuerySort(property: "name"), QuerySort(property: "number")]
      let query = StoreQuery(entity: "Seat", sort: terms)
      try expect("the rows", probe.rows(query), is: [seats[3], seats[1], seats[0], seats[2]])
    },
    "nil is first in an order": { probe in
      let seats = try probe.add([new("Seat", ["row": .integer(1)]), new("Seat")])
      let terms = [QuerySort(property: "name"), QuerySort(property: "row")]
      let query = StoreQuery(entity: "Seat", sort: terms)
      try expect("the rows", probe.rows(query), is: [seats[1], seats[0]])
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
      let books = try [0.000_1, 0.000_2].map { try probe.produce(new("Book", ["made": date($0)])) }
      let query = StoreQuery(entity: "Book", filter: .own("made", .equal, date(0.000_1)))
      try expect("the rows", probe.rows(query), is: [books[0]])
      try expect("the date", probe.value("made", of: books[1]), is: date(0.000_2))
    },
    "a limit applies to counts": { probe in
      _ = try probe.add([new("Tag"), new("Tag"), new("Tag")])
      try expect("the count", probe.store.count(StoreQuery(entity: "Tag", limit: 2)), is: 2)
    },
    "less excludes the value": { probe in
      let books = try pages(0..<40, in: probe)
      let query = StoreQuery(entity: "Book", filter: .own("pages", .less, .integer(2)))
      try expect("the rows", probe.rows(query), is: Array(books.prefix(2)))
    },
    "greater or equal includes the value": { probe in
      let books = try pages(0..<40, in: probe)
      let query = StoreQuery(entity: "Book", filter: .own("pages", .greaterOrEqual, .integer(38)))
      try expect("the rows", probe.rows(query), is: Array(books.suffix(2)))
    },
    "a query can exclude subentities": { probe in
      let books = try probe.add([new("Book"), new("Novel")])
      let query = StoreQuery(entity: "Book", includesSubentities: false)
      try expect("the rows", probe.rows(query), is: [books[0]])
    },
    "a query of a subentity returns no other rows": { probe in
      let books = try probe.add([new("Book"), new("Novel")])
      try expect("the rows", probe.rows(StoreQuery(entity: "Novel")), is: [books[1]])
    },
    "two ranges of one property both apply": { probe in
      let books = try pages(0..<40, in: probe)
      let filter = QueryExpression.and([
        .own("pages", .greater, .integer(10)), .own("pages", .less, .integer(12)),
      ])
      try expect(
        "the rows",
        probe.rows(StoreQuery(entity: "Book", filter: filter)),
        is: [books[11]]
      )
    },
    "conditions on two indexed properties both apply": { probe in
      _ = try probe.add(
        (0..<40).map { new("Book", ["note": .string("\($0)"), "price": .double(Double($0))]) }
      )
      let filter = QueryExpression.and([
        .own("note", .equal, .string("7")), .own("price", .greater, .double(20)),
      ])
      try expect("the rows", probe.rows(StoreQuery(entity: "Book", filter: filter)).count, is: 0)
    },
    "an order has two directions": { probe in
      let books = try probe.add(
        (0..<40).map { number in
          new(
            "Book",
            ["note": .string(number < 20 ? "a" : "b"), "pages": .integer(Int64(number))]
          )
        }
      )
      let query = StoreQuery(
        entity: "Book",
        sort: [QuerySort(property: "note"), QuerySort(property: "pages", isReversed: true)],
        limit: 3
      )
      try expect("the rows", probe.rows(query), is: [books[19], books[18], books[17]])
    },
    "both zeros are one group": { probe in
      _ = try probe.add([0.0, -0.0].map { new("Seat", ["number": .double($0)]) })
      let query = StoreQuery(entity: "Seat")
      var counts: [[StoreValue]] = []
      try probe.store.select(
        StoreSelection(query, groups: [.own("number")], columns: [.count])
      ) { counts.append($0) }
      try expect("the groups", counts, is: [[.integer(2)]])
    },
    "the negation of a comparison matches nil": { probe in
      let books = try probe.add([new("Book"), new("Book", ["pages": .integer(1)])])
      let filter = QueryExpression.not(.own("pages", .less, .integer(3)))
      try expect("the rows", probe.rows(StoreQuery(entity: "Book", filter: filter)), is: [books[0]])
    },
    "nil differs from each value": { probe in
      let books = try probe.add([new("Book"), new("Book", ["pages": .integer(1)])])
      let filter = QueryExpression.own("pages", .notEqual, .integer(1))
      try expect("the rows", probe.rows(StoreQuery(entity: "Book", filter: filter)), is: [books[0]])
    },
    "a string that a producer writes in another form is found": { probe in
      let book = try probe.produce(new("Book", ["note": .string("e\u{301}")]))
      let filter = QueryExpression.own("note", .equal, .string("\u{E9}"))
      try expect("the rows", probe.rows(StoreQuery(entity: "Book", filter: filter)), is: [book])
    },
  ]
}

/// All probes by name.
let probes = ProbesOfRows.all.merging(ProbesOfUniqueness.all) { $1 }
  .merging(ProbesOfHistory.all) { $1 }.merging(ProbesOfQueries.all) { $1 }
