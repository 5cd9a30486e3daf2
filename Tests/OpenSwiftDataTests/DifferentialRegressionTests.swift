import Foundation
import OpenSwiftData
import StoreConformance
import Testing

/// Bugs that random queries have found, reduced to minimal cases.
@Suite struct `Regressions of queries` {
  private static let kelvin = StoreValue.string("\u{212A}")

  /// Orders of related objects within correlated subqueries, in SQLite.
  private static let members: [DifferentialCase] = [
    DifferentialCase(
      rows: [],
      query: StoreQuery(
        entity: "Person",
        sort: [QuerySort(.property(.aggregate(.first, .property(.element(0), "pets")), "tag"))]
      )
    ),
    DifferentialCase(
      rows: [],
      query: StoreQuery(
        entity: "Person",
        filter: .compare(
          .greater,
          .property(.aggregate(.last, .property(.element(0), "pets")), "name"),
          .constant(.string(""))
        )
      )
    ),
    DifferentialCase(
      rows: [],
      query: StoreQuery(
        entity: "Exhibit",
        filter: .quantified(
          .every,
          .property(.element(0), "parts"),
          variable: 1,
          .compare(
            .greater,
            .text(
              .caseInsensitiveCompare,
              .constant(.string("")),
              .unwrap(.property(.element(1), "title"))
            ),
            .constant(.integer(0))
          )
        )
      )
    ),
    DifferentialCase(
      rows: [],
      selection: StoreSelection(
        StoreQuery(
          entity: "Group",
          filter: .aggregate(
            .isEmpty,
            .map(
              .aggregate(.first, .property(.element(0), "members")),
              variable: 1,
              body: .property(.element(1), "students")
            )
          )
        ),
        groups: [],
        columns: [.count]
      )
    ),
  ]

  /// The related objects of a nil object are nil, not an empty list.
  private static let absent: [DifferentialCase] = [
    DifferentialCase(
      rows: [DifferentialRow(32, "Exhibit")],
      query: StoreQuery(
        entity: "Exhibit",
        filter: .compare(
          .notEqual,
          .constant(.identifiers([])),
          .property(.property(.element(0), "keeper"), "favourites")
        )
      )
    ),
    DifferentialCase(
      rows: [DifferentialRow(39, "Person")],
      query: StoreQuery(
        entity: "Person",
        filter: .compare(
          .equal,
          .property(.aggregate(.last, .property(.element(0), "groups")), "members"),
          .constant(.null)
        )
      )
    ),
    DifferentialCase(
      rows: [DifferentialRow(15, "Cat"), DifferentialRow(17, "Exhibit")],
      query: StoreQuery(
        entity: "Exhibit",
        filter: .not(
          .aggregate(
            .isEmpty,
            .coalesce(
              .property(.property(.element(0), "whole"), "animals"),
              .constant(.identifiers([DifferentialRow.identifier(15, "Cat")]))
            )
          )
        )
      )
    ),
  ]

  /// Constants that SQL interpreted differently.
  private static let constants: [DifferentialCase] = [
    DifferentialCase(
      rows: [DifferentialRow(13, "Dog")],
      query: StoreQuery(
        entity: "Dog",
        filter: .not(.contains(.constant(.array([.null])), .property(.element(0), "tag")))
      )
    ),
    DifferentialCase(
      rows: [DifferentialRow(27, "Person")],
      query: StoreQuery(
        entity: "Person",
        filter: .matches(
          .coalesce(.property(.element(0), "email"), .constant(kelvin)),
          SamplePatterns.pattern("^[A-Z]")
        )
      )
    ),
    DifferentialCase(
      rows: [DifferentialRow(6, "Specimen"), DifferentialRow(9, "Person")],
      query: StoreQuery(
        entity: "Specimen",
        filter: .quantified(
          .some,
          .conditional(
            .constant(.bool(false)),
            then: .unwrap(.aggregate(.last, .constant(.array([])))),
            else: .constant(.identifiers([DifferentialRow.identifier(9, "Person")]))
          ),
          variable: 1,
          .aggregate(.isEmpty, .property(.element(1), "groups"))
        )
      )
    ),
  ]

  private static let all = members + absent + constants

  @Test func `has the correct result in MemoryStore`() throws {
    for one in Self.all { try one.check(DifferentialFixtures.Memory()) }
  }

  @Test func `has the correct result in JSONFileStore`() throws {
    for one in Self.all { try one.check(DifferentialFixtures.JSONFile()) }
  }

  @Test(arguments: all.indices)
  func `has the correct result in SQLiteStore`(index: Int) throws {
    try Self.all[index].check(DifferentialFixtures.SQLiteInMemory())
  }
}
