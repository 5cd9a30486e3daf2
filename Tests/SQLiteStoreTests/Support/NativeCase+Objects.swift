import Foundation
import SQLiteStore
import StoreProtocol

extension NativeCase {
  static let choices: [NativeCase] = [
    NativeCase(
      "a condition by a condition",
      "Values",
      .conditional(
        property("bool"),
        then: .text(.contains, string, text("a")),
        else: .compare(.less, property("int8"), integer(0))
      )
    ),
    NativeCase(
      "a value by a condition",
      "Values",
      .compare(
        .equal,
        .conditional(
          .compare(.equal, property("int8"), .constant(.null)),
          then: integer(1),
          else: property("int64")
        ),
        integer(1)
      )
    ),
    NativeCase(
      "another value for nil",
      "Values",
      .compare(.less, .coalesce(property("int64"), property("int8")), integer(1))
    ),
    NativeCase(
      "a value that is there",
      "Trip",
      .coalesce(
        .map(name, variable: 1, body: .text(.contains, .element(1), text("a"))),
        .constant(.bool(true))
      )
    ),
    NativeCase(
      "the opposite of that",
      "Trip",
      .not(
        .coalesce(
          .map(name, variable: 1, body: .text(.contains, .element(1), text("a"))),
          .constant(.bool(true))
        )
      )
    ),
    NativeCase(
      "an object that is there",
      "Item",
      .compare(
        .equal,
        .map(property("trip"), variable: 1, body: .aggregate(.isEmpty, member("tags"))),
        .constant(.bool(true))
      )
    ),
    NativeCase(
      "one of two that may trap",
      "Item",
      .or([
        .compare(.equal, .unwrap(property("title")), text("a")),
        .compare(.equal, property("trip"), .constant(.null)),
      ])
    ),
    NativeCase(
      "the opposite of both, which may trap",
      "Item",
      .not(
        .and([
          .compare(.equal, .unwrap(property("title")), text("a")),
          .compare(.equal, .property(.unwrap(property("trip")), "days"), integer(1)),
        ])
      )
    ),
  ]

  static let relationships: [NativeCase] = [
    NativeCase(
      "some members",
      "Trip",
      .quantified(.some, property("items"), variable: 1, .compare(.equal, member("title"), name))
    ),
    NativeCase(
      "no member",
      "Trip",
      .not(
        .quantified(
          .some,
          property("items"),
          variable: 1,
          .text(.contains, .coalesce(member("title"), text("")), text("a"))
        )
      )
    ),
    NativeCase(
      "each member",
      "Trip",
      .quantified(.every, property("tags"), variable: 1, .compare(.less, member("name"), name))
    ),
    NativeCase(
      "a member that traps",
      "Trip",
      .quantified(
        .some,
        property("items"),
        variable: 1,
        .compare(.equal, .unwrap(member("title")), text("a"))
      )
    ),
    NativeCase(
      "each member, of which one traps",
      "Trip",
      .not(
        .quantified(
          .every,
          property("items"),
          variable: 1,
          .compare(.notEqual, .unwrap(member("title")), text("a"))
        )
      )
    ),
    NativeCase(
      "members of members",
      "Tag",
      .quantified(
        .some,
        property("trips"),
        variable: 1,
        .quantified(
          .some,
          member("items"),
          variable: 2,
          .compare(.notEqual, .property(.element(2), "title"), .property(.element(0), "name"))
        )
      )
    ),
    NativeCase(
      "the number of some members",
      "Trip",
      .compare(
        .greaterOrEqual,
        .aggregate(
          .count,
          .filter(property("tags"), variable: 1, .compare(.greater, member("name"), text("a")))
        ),
        integer(1)
      )
    ),
    NativeCase(
      "no members behind a reference that may be nil",
      "Item",
      .not(.aggregate(.isEmpty, .property(property("trip"), "tags")))
    ),
    NativeCase(
      "the first member",
      "Trip",
      .compare(.equal, .property(.aggregate(.first, property("items")), "title"), text("a"))
    ),
    NativeCase(
      "the last listed member",
      "Trip",
      .compare(.equal, .property(.aggregate(.last, property("tags")), "name"), name)
    ),
    NativeCase(
      "a member by index",
      "Trip",
      .compare(
        .notEqual,
        .property(.subscripted(property("items"), integer(1)), "title"),
        text("a")
      )
    ),
    NativeCase(
      "an object among the members",
      "Item",
      .contains(.property(property("trip"), "items"), .element(0))
    ),
    NativeCase(
      "all members as a list",
      "Trip",
      .compare(.equal, property("items"), .constant(.identifiers([])))
    ),
    NativeCase("a class", "Item", .isKind(property("trip"), entity: "BusinessTrip")),
    NativeCase(
      "a property of a class",
      "Item",
      .compare(
        .less,
        .property(.cast(property("trip"), entity: "BusinessTrip"), "perDiem"),
        .constant(.double(1))
      )
    ),
    NativeCase(
      "members of a class",
      "Tag",
      .quantified(
        .every,
        property("trips"),
        variable: 1,
        .isKind(.element(1), entity: "BusinessTrip")
      )
    ),
    NativeCase(
      "the same object",
      "Trip",
      .compare(
        .equal,
        property("next"),
        .property(.property(.aggregate(.first, property("items")), "trip"), "next")
      )
    ),
  ]

  static let orders: [NativeCase] = [
    NativeCase(order: "a truth value", "Values", property("bool")),
    NativeCase(order: "a text", "Values", string),
    NativeCase(order: "a real", "Values", property("double")),
    NativeCase(order: "a date", "Values", property("date")),
    NativeCase(order: "a decimal", "Values", property("decimal")),
    NativeCase(order: "an unsigned number", "Values", property("uint64")),
    NativeCase(order: "a structure", "Values", codable),
    NativeCase(order: "a member", "Values", .property(codable, "word")),
    NativeCase(
      order: "a sum that may overflow",
      "Values",
      .arithmetic(.add, property("int8"), integer(100), .int8)
    ),
    NativeCase(order: "a text behind a reference", "Item", property("trip", "name")),
    NativeCase(order: "a number of members", "Trip", .aggregate(.count, property("tags"))),
    NativeCase(
      order: "a value of the first member",
      "Trip",
      .property(.aggregate(.first, property("items")), "title")
    ),
    NativeCase(order: "a condition", "Trip", .compare(.equal, name, text("a"))),
    NativeCase(order: "an object", "Item", property("trip")),
    NativeCase(order: "a list of objects", "Trip", property("items")),
  ]
}
