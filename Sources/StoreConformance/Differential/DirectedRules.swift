import Foundation
import StoreProtocol

/// Queries about cases that random ones seldom contain, each with the rows that show the
/// difference.
enum DirectedRules {
  typealias Question = DifferentialCase.Question

  static let all: [Rule] = [
    rule("QUERY-028", "Integers divide toward zero, and remainders have the dividend's sign.") {
      (numbers([-7, -6, -1, 0, 1, 6, 7, .min, .max]), division())
    },
    rule("QUERY-029", "The second operand of `??` compares as exactly as the first.") {
      (plainFirst(), fallbacks())
    },
    rule("QUERY-030", "Repeated elements are counted each time.") { (lists(), repetitions()) },
    rule(
      "QUERY-031",
      "Integers in structured values compare with integers and floating-point numbers."
    ) {
      (lists(), members())
    },
    rule(
      "QUERY-032",
      "Numbers of different types compare by value, without conversion to a narrower type."
    ) {
      (numbers([0, 1, -1, 1 << 53, 1 << 53 + 1, .max, .min]) + reals(), mixedNumbers())
    },
    rule(
      "QUERY-034",
      "A list in a condition contains each of its strings, whatever their characters."
    ) {
      (rowsOfOddStrings(), memberships())
    },
    rule("SELECT-012", "Keys that are equal in Swift are one group, whatever their bytes.") {
      (spellings(), groups())
    },
    rule("SELECT-013", "NaN is one group, one distinct value, and the last in sort order.") {
      (reals(), extremes())
    },
    rule("SELECT-014", "Sums and averages are exact, and rounded once at the end.") {
      (reals(), sums())
    },
  ]

  static func rule(
    _ id: String,
    _ sentence: String,
    _ make: @escaping @Sendable () -> ([DifferentialRow], [Question])
  ) -> Rule {
    Rule(id, sentence, needs: [.nativeFiltering, .nativeSorting], since: 2) { bench in
      let (rows, questions) = make()
      let check = try DifferentialCheck(try bench.neighbour(), rows, deleted: [])
      for question in questions {
        guard let difference = check.difference(question) else { continue }
        throw RuleViolation(
          TraceText.cut("\(difference.aspect) of \(question)"),
          expected: difference.expected,
          found: difference.found
        )
      }
    }
  }

  static func query(
    _ filter: QueryExpression,
    of entity: String = "Exhibit"
  ) -> Question {
    .query(StoreQuery(entity: entity, filter: filter))
  }

  private static func selection(
    _ filter: QueryExpression? = nil,
    groups: [QueryExpression] = [],
    columns: [StoreSelection.Column]
  ) -> Question {
    let query = StoreQuery(entity: "Exhibit", filter: filter)
    return .selection(StoreSelection(query, groups: groups, columns: columns))
  }
}

/// The rows.
extension DirectedRules {
  private static func numbers(_ counts: [Int64]) -> [DifferentialRow] {
    counts.enumerated().map { index, count in
      DifferentialRow(Int64(index + 1), "Exhibit", ["count": .integer(count)])
    }
  }

  /// Returns composed and decomposed strings: one under the name, one under the title, one of each
  /// owner.
  private static func spellings() -> [DifferentialRow] {
    let texts = ["e\u{301}", "\u{E9}", "e", "K", "\u{212A}", "a", "a ", ""]
    let dates = [0, -0.0, 1, 0.5].map { Date(timeIntervalSinceReferenceDate: $0) }
    let exhibits = texts.enumerated().flatMap { index, text in
      let number = Int64(3 * index + 1)
      let other = texts[(index + 1) % texts.count]
      let made = StoreValue.date(dates[index % dates.count])
      return [
        DifferentialRow(number, "Exhibit", ["name": .string(text), "made": made]),
        DifferentialRow(
          number + 1,
          "Exhibit",
          ["name": .string("x"), "title": .string(text), "seen": made]
        ),
        DifferentialRow(
          number + 2,
          "Exhibit",
          ["name": .string(other), "title": .string(text), "made": .date(dates[3]), "seen": made]
        ),
      ]
    }
    let owner = StoreValue.identifier(DifferentialRow.identifier(100, "Person"))
    return exhibits + [
      DifferentialRow(100, "Person", ["name": .string("e\u{301}"), "height": .double(-0.0)]),
      DifferentialRow(101, "Dog", ["name": .string("\u{E9}"), "owner": owner]),
      DifferentialRow(102, "Dog", ["name": .string("e\u{301}")]),
      DifferentialRow(103, "Cat", ["name": .string("e")]),
    ]
  }

  /// Returns rows with plain values under the names that are queried first, and all others under
  /// the second.
  ///
  /// A store that tracks columns with unusual values must track both.
  private static func plainFirst() -> [DifferentialRow] {
    spellings().map { row in
      var row = row
      row.values["title"] = row.number.isMultiple(of: 3) ? .string("x") : nil
      row.values["seen"] =
        row.number.isMultiple(of: 2)
        ? .date(Date(timeIntervalSinceReferenceDate: 0.5)) : nil
      if row.entity == "Person" { row.values["name"] = .string("e") }
      return row
    }
  }

  /// Returns a row for each string, alone and as an element.
  private static func rowsOfOddStrings() -> [DifferentialRow] {
    oddStrings.enumerated().map { index, text in
      DifferentialRow(
        Int64(index + 1),
        "Exhibit",
        [
          "name": .string(text), "title": index.isMultiple(of: 3) ? .null : .string(text),
          "words": .array([.string(text), .string("plain")]),
        ]
      )
    }
  }

  private static let oddStrings =
    (UInt8(1)..<0x20).map { String(UnicodeScalar($0)) } + SampleValues.strings

  private static func lists() -> [DifferentialRow] {
    func texts(_ list: [String]) -> StoreValue { .array(list.map { .string($0) }) }
    func place(_ latitude: StoreValue) -> StoreValue {
      .composite([
        .init("street", .string("s")), .init("place", .composite([.init("latitude", latitude)])),
        .init("tags", texts(["t", "t"])),
      ])
    }
    return [
      DifferentialRow(
        1,
        "Exhibit",
        [
          "words": texts(["a", "a", "b"]), "numbers": .array([1, 1, 1].map { .integer($0) }),
          "maybes": .array([.integer(1), .null]), "address": place(.double(2)),
          "counts": .composite([.init("a", .integer(2))]),
        ]
      ),
      DifferentialRow(
        2,
        "Exhibit",
        [
          "words": texts(["a", "b"]), "numbers": .array([.integer(1)]),
          "address": place(.double(2.5)),
        ]
      ),
      DifferentialRow(
        3,
        "Exhibit",
        [
          "words": texts(["a ", "e\u{301}", "\u{E9}"]),
          "address": place(.double(-0.0)),
        ]
      ),
      DifferentialRow(4, "Exhibit"),
    ]
  }

  private static func reals() -> [DifferentialRow] {
    let prices: [Double] = [.nan, 1e16, 1, -1e16, 0, -0.0, .nan, 0.1, 0.2, 9_007_199_254_740_992]
    let ratios: [Float] = [.nan, 1e16, 1, -1e16, -0.0, 0, 0.1, 0.1, 0.2, 16_777_216]
    let counts: [Int64] = [1 << 53, 1, 1, -3, 0, 0, 5, 1 << 60, 7, 1 << 53 + 1]
    let costs = ["0.1", "0.2", "12345678901234567890", "1", "1", "0.1", "3", "-2", "0", "1"]
    return prices.indices.map { index in
      let cost = Decimal(string: costs[index]) ?? 0
      return DifferentialRow(
        Int64(index + 101),
        "Exhibit",
        [
          "name": .string(index.isMultiple(of: 2) ? "even" : "odd"),
          "price": .double(prices[index]), "ratio": .double(Double(ratios[index])),
          "count": .integer(counts[index]), "cost": .decimal(cost),
        ]
      )
    }
  }
}

/// The queries.
extension DirectedRules {
  private static func division() -> [Question] {
    [.divide, .remainder].flatMap { (operation: QueryExpression.Arithmetic) in
      [2, -2, 3, -1, 0].flatMap { (divisor: Int64) in
        let value = QueryExpression.arithmetic(operation, .row("count"), .integer(divisor), .int64)
        return [-3, -1, 0, 1, 3].map { query(.compare(.equal, value, .integer($0))) }
      }
    }
  }

  /// Returns queries that compare a constant that replaces nil, or a conditional one, with another
  /// spelling of it.
  private static func spellings(of value: QueryExpression) -> [Question] {
    let isPlain = QueryExpression.compare(.equal, .row("title"), .string("x"))
    let values: [QueryExpression] = [
      .coalesce(.row("title"), value), .conditional(isPlain, then: value, else: .row("title")),
    ]
    return ["\u{E9}", "e\u{301}", "x"].flatMap { other in
      values.map { query(.compare(.equal, $0, .string(other))) }
    }
  }

  private static func fallbacks() -> [Question] {
    let name = QueryExpression.coalesce(.row("title"), .row("name"))
    let made = QueryExpression.coalesce(.row("seen"), .row("made"))
    let owner = QueryExpression.coalesce(.property(.row("owner"), "name"), .row("name"))
    let texts = ["\u{E9}", "e\u{301}", "e", "K", "\u{212A}", "a", "x", ""].flatMap { text in
      [QueryExpression.Comparison.equal, .notEqual, .less, .greaterOrEqual].flatMap { comparison in
        [
          query(.compare(comparison, name, .string(text))),
          query(.compare(comparison, .string(text), name)),
          query(.compare(comparison, owner, .string(text)), of: "Animal"),
        ]
      } + [
        query(.contains(.constant(.array([.string(text), .string("q")])), name)),
        query(.compare(.equal, .coalesce(.row("title"), .string(text)), .row("name"))),
        query(.compare(.equal, name, .coalesce(.row("title"), .string(text)))),
      ]
    }
    let dates = [0, -0.0, 0.5].flatMap { seconds in
      [QueryExpression.Comparison.equal, .greater, .lessOrEqual].map { comparison in
        let date = StoreValue.date(Date(timeIntervalSinceReferenceDate: seconds))
        return query(.compare(comparison, made, .constant(date)))
      }
    }
    let sorted = StoreQuery(entity: "Exhibit", sort: [QuerySort(name), QuerySort(made)])
    let strings = ["\u{E9}", "e\u{301}", "x"].flatMap { spellings(of: .string($0)) }
    return texts + dates + strings
      + [query(.compare(.equal, name, .row("name"))), .query(sorted)]
  }

  private static func repetitions() -> [Question] {
    let isA = QueryExpression.compare(.equal, .element(1), .string("a"))
    let same = QueryExpression.aggregate(.count, .filter(.row("words"), variable: 1, isA))
    let tags = QueryExpression.aggregate(.count, .property(.row("address"), "tags"))
    return (Int64(0)...3).flatMap { number in
      ["words", "numbers"].map { name in
        query(.compare(.equal, .aggregate(.count, .row(name)), .integer(number)))
      } + [
        query(.compare(.equal, same, .integer(number))),
        query(.compare(.equal, tags, .integer(number))),
      ]
    }
      + ["a", "a ", "\u{E9}"].map {
        query(.contains(.row("words"), .string($0)))
      } + [
        query(.contains(.row("maybes"), .constant(.null))),
        query(.compare(.equal, .subscripted(.row("words"), .integer(0)), .string("a"))),
        query(.compare(.notEqual, .subscripted(.row("words"), .integer(1)), .string("a"))),
        query(.compare(.equal, .subscripted(.row("counts"), .string("a")), .integer(2))),
        query(.compare(.equal, .aggregate(.minimum, .row("words")), .string("a"))),
        query(.compare(.equal, .aggregate(.maximum, .row("words")), .string("b"))),
      ]
  }

  private static func memberships() -> [Question] {
    let halves: [[StoreValue]] = [0, 1].map { rest in
      oddStrings.indices.filter { $0 % 2 == rest }.map { .string(oddStrings[$0]) }
    }
    return (halves + [halves[0] + [.null]]).flatMap { list in
      ["name", "title"].flatMap { name in
        let isMember = QueryExpression.contains(.constant(.array(list)), .row(name))
        return [query(isMember), query(.not(isMember))]
      }
    } + oddStrings.map { query(.contains(.row("words"), .string($0))) }
  }

  private static func members() -> [Question] {
    let latitude = QueryExpression.property(.property(.row("address"), "place"), "latitude")
    return [2, 2.5, 0, -0.0].flatMap { number in
      [QueryExpression.Comparison.equal, .less, .greaterOrEqual].map { comparison in
        query(.compare(comparison, latitude, .constant(.double(number))))
      }
    }
  }

  private static func mixedNumbers() -> [Question] {
    let constants: [StoreValue] = [
      .double(9_007_199_254_740_992), .double(0.5), .double(9_223_372_036_854_775_808),
      .double(.nan),
      .decimal(Decimal(string: "9007199254740993") ?? 0), .unsigned(.max), .decimal(1),
    ]
    let pairs = [("ratio", "price"), ("price", "ratio"), ("count", "price"), ("price", "count")]
    return [QueryExpression.Comparison.equal, .less, .greaterOrEqual].flatMap { comparison in
      constants.map { query(.row("count", comparison, $0)) }
        + pairs.map { query(.compare(comparison, .row($0), .row($1))) }
    }
  }

  private static func groups() -> [Question] {
    ["name", "title", "seen", "made"].map { name in
      selection(groups: [.row(name)], columns: [.key(0), .count])
    } + [
      selection(columns: [
        .aggregate(.distinctCount, .row("title"), .string),
        .aggregate(.distinctCount, .row("name"), .string),
        .aggregate(.distinctCount, .row("seen"), .date),
        .aggregate(.minimum, .row("title"), .string),
        .aggregate(.maximum, .row("made"), .date),
      ])
    ]
  }

  private static func extremes() -> [Question] {
    let functions: [StoreSelection.Function] = [.distinctCount, .minimum, .maximum, .count]
    let columns = functions.map {
      StoreSelection.Column.aggregate($0, .row("price"), .double)
    }
    return [
      selection(columns: columns), selection(groups: [.row("name")], columns: columns),
      selection(groups: [.row("price")], columns: [.key(0), .count]),
    ]
  }

  private static func sums() -> [Question] {
    let number = QueryExpression.row("price", .less, .double(.infinity))
    let types: [(String, AttributeType)] = [
      ("price", .double), ("count", .int64), ("cost", .decimal),
    ]
    return types.flatMap { name, type in
      [[], [QueryExpression.row("name")]].map { groups in
        selection(
          number,
          groups: groups,
          columns: [.aggregate(.sum, .row(name), type), .aggregate(.average, .row(name), type)]
        )
      }
    }
  }
}
