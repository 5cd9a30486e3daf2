import StoreProtocol

/// Projections, groups and aggregates.
enum SelectionRules {
  static let all: [Rule] = [
    rule(
      "SELECT-001",
      "A projection returns values in the sort order, limit and offset of the query.",
      values
    ),
    rule("SELECT-002", "Rows with equal keys are one group, and nil is a key.", groups),
    rule("SELECT-003", "Aggregates ignore nil.", aggregates),
    rule(
      "SELECT-004",
      "Without keys, all rows are one group, even if there are no rows.",
      oneGroup
    ),
    rule("SELECT-005", "Groups are filtered, then sorted, and then limited.", windows),
    Rule("SELECT-010", "A sum that overflows throws.", overflow),
    Rule("SELECT-011", "An invalid column of a selection throws.", refusals),
  ]

  private typealias Case = (selection: StoreSelection, expected: [[StoreValue]])

  private static func rule(
    _ id: String,
    _ sentence: String,
    _ cases: @escaping @Sendable () -> [Case]
  ) -> Rule {
    Rule(id, sentence, needs: [.nativeFiltering, .nativeSorting]) { bench in
      let store = try LoadedStore(try bench.neighbour(), NodeRules.world, deleted: [])
      for (selection, expected) in cases() {
        try expect("the values", try store.select(selection), equals: expected)
      }
    }
  }

  private static let people = StoreQuery(
    entity: "Person",
    sort: [QuerySort(property: "name", isReversed: true)]
  )

  private static let mentor = StoreValue.identifier(DifferentialRow.identifier(1, "Person"))

  @Sendable private static func values() -> [Case] {
    var second = people
    second.offset = 1
    second.limit = 1
    let path = QueryExpression.property(.row("mentor"), "name")
    return [
      (
        StoreSelection(people, columns: [.value(.row("age")), .value(path)]),
        [[.integer(7), .string("Ada")], [.null, .string("Ada")], [.integer(40), .null]]
      ), (StoreSelection(second, columns: [.value(.row("name"))]), [[.string("Bob")]]),
    ]
  }

  @Sendable private static func groups() -> [Case] {
    [
      (
        StoreSelection(people, groups: [.row("mentor")], columns: [.key(0), .count]),
        [[.null, .integer(1)], [mentor, .integer(2)]]
      ),
      (
        StoreSelection(
          StoreQuery(entity: "Animal"),
          groups: [.property(.row("owner"), "name"), .isKind(.element(0), entity: "Cat")],
          columns: [.key(1), .key(0)]
        ),
        [
          [.bool(false), .string("Ada")], [.bool(true), .string("Ada")],
          [.bool(false), .string("Bob")],
        ]
      ),
    ]
  }

  @Sendable private static func aggregates() -> [Case] {
    let age = QueryExpression.row("age")
    let columns = StoreSelection.Function.allCases.map {
      StoreSelection.Column.aggregate($0, age, .int64)
    }
    return [
      (
        StoreSelection(people, groups: [], columns: columns),
        [[.integer(2), .integer(2), .integer(47), .double(23.5), .integer(7), .integer(40)]]
      )
    ]
  }

  @Sendable private static func oneGroup() -> [Case] {
    let nobody = StoreQuery(entity: "Person", filter: .row("name", .equal, .string("Eve")))
    let columns: [StoreSelection.Column] = [
      .count, .aggregate(.sum, .row("height"), .double),
      .aggregate(.average, .row("age"), .int64), .aggregate(.minimum, .row("name"), .string),
    ]
    return [
      (
        StoreSelection(nobody, groups: [], columns: columns),
        [[.integer(0), .double(0), .null, .null]]
      ), (StoreSelection(nobody, groups: [.row("name")], columns: [.count]), []),
    ]
  }

  @Sendable private static func windows() -> [Case] {
    var selection = StoreSelection(
      StoreQuery(entity: "Person"),
      groups: [.row("name")],
      columns: [.key(0), .aggregate(.maximum, .row("age"), .int64)],
      order: [QuerySort(StoreSelection.column(1), isReversed: true)]
    )
    let all = selection
    selection.having = .compare(.notEqual, StoreSelection.column(1), .constant(.null))
    selection.query.offset = 1
    return [
      (
        all,
        [
          [.string("Ada"), .integer(40)], [.string("Cid"), .integer(7)], [.string("Bob"), .null],
        ]
      ), (selection, [[.string("Cid"), .integer(7)]]),
    ]
  }

  private static func overflow(_ bench: StoreBench) throws {
    let store = try LoadedStore(try bench.neighbour(), NodeRules.world, deleted: [])
    let sum = StoreSelection.Column.aggregate(.sum, .row("count"), .int64)
    try expect("the sum", throws: .invalidValue) {
      _ = try store.select(
        StoreSelection(StoreQuery(entity: "Exhibit"), groups: [], columns: [sum])
      )
    }
  }

  private static func refusals(_ bench: StoreBench) throws {
    let query = StoreQuery(entity: "Person")
    let name = QueryExpression.row("name")
    for selection in [
      StoreSelection(query, columns: [.count]), StoreSelection(query, columns: [.key(0)]),
      StoreSelection(query, groups: [name], columns: [.value(name)]),
      StoreSelection(query, groups: [name], columns: [.key(1)]),
      StoreSelection(query, groups: [], columns: [.aggregate(.sum, name, .string)]),
    ] {
      try expect("the selection", throws: .invalidPredicate) {
        try bench.store.select(selection) { _ in }
      }
    }
  }
}
