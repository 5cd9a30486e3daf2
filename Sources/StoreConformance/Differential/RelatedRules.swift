import StoreProtocol

/// Queries about related rows, and selections, that an author meets first, with one small data set
/// for all.
extension DirectedRules {
  static let related: [Rule] = [
    rule("QUERY-041", "A path can follow a reference; it is nil if the reference is nil.") {
      let name = QueryExpression.property(.row("mentor"), "name")
      let next = QueryExpression.property(.property(.row("mentor"), "mentor"), "name")
      return (
        people,
        [
          query(.compare(.equal, name, .string("Ada")), of: "Person"),
          query(.compare(.equal, name, .constant(.null)), of: "Person"),
          query(.compare(.equal, next, .string("Ada")), of: "Person"),
        ]
      )
    },
    rule("QUERY-042", "Related rows can be counted; without related rows the count is zero.") {
      let count = QueryExpression.aggregate(.count, .row("pets"))
      let counts = (Int64(0)...2).map { query(.compare(.equal, count, .integer($0)), of: "Person") }
      return (people, counts + [query(.aggregate(.isEmpty, .row("pets")), of: "Person")])
    },
    rule("QUERY-043", "A condition can apply to some or to all related rows.") {
      let isTom = QueryExpression.compare(.equal, .property(.element(1), "name"), .string("Tom"))
      return (
        people,
        [QueryExpression.Quantifier.some, .every].map {
          query(.quantified($0, .row("pets"), variable: 1, isTom), of: "Person")
        }
      )
    },
    rule("QUERY-044", "A condition can test whether a to-many relationship contains an object.") {
      (
        people,
        [1, 2, 3].map { query(.contains(.row("members"), .constant(one($0))), of: "Group") }
          + [query(.contains(.row("groups"), .constant(one(6, "Group"))), of: "Person")]
      )
    },
    rule(
      "SELECT-001",
      "A projection returns values in the sort order, limit and offset of the query."
    ) {
      let columns = ["name", "age"].map { StoreSelection.Column.value(.row($0)) }
      let sort = [QuerySort(property: "name", isReversed: true)]
      let windows = [(0, nil), (1, nil), (0, 2), (1, 1)] as [(Int, Int?)]
      return (
        people,
        windows.map { offset, limit in
          let query = StoreQuery(entity: "Person", sort: sort, offset: offset, limit: limit)
          return .selection(StoreSelection(query, columns: columns))
        }
      )
    },
  ]

  private static func one(_ number: Int64, _ entity: String = "Person") -> StoreValue {
    .identifier(DifferentialRow.identifier(number, entity))
  }

  /// Three people, the first two with pets, and a group of two of them.
  private static var people: [DifferentialRow] {
    let group = StoreValue.identifiers([DifferentialRow.identifier(6, "Group")])
    let members = [3, 1].map { DifferentialRow.identifier($0, "Person") }
    return [
      DifferentialRow(1, "Person", ["name": .string("Ada"), "groups": group]),
      DifferentialRow(2, "Person", ["name": .string("Bob"), "mentor": one(1)]),
      DifferentialRow(
        3,
        "Person",
        ["name": .string("Cid"), "age": .integer(7), "mentor": one(2), "groups": group]
      ),
      DifferentialRow(4, "Dog", ["name": .string("Rex"), "owner": one(1)]),
      DifferentialRow(5, "Cat", ["name": .string("Tom"), "owner": one(1)]),
      DifferentialRow(6, "Group", ["name": .string("choir"), "members": .identifiers(members)]),
      DifferentialRow(7, "Cat", ["name": .string("Tom"), "owner": one(2)]),
    ]
  }
}
