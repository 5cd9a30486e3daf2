import Foundation
import SQLiteStore
import StoreProtocol

extension NativeCase {
  static let texts: [NativeCase] = [
    NativeCase("contains", "Values", .text(.contains, string, text("a"))),
    NativeCase("contains an accent", "Values", .text(.contains, string, text("e\u{301}"))),
    NativeCase("starts with", "Values", .text(.startsWith, string, text("a"))),
    NativeCase(
      "starts with a letter that a mark may follow",
      "Values",
      .text(.startsWith, string, text("x"))
    ),
    NativeCase("localized", "Values", .text(.localizedStandardContains, string, text("E"))),
    NativeCase(
      "order without case",
      "Values",
      .compare(.less, .text(.caseInsensitiveCompare, string, text("B")), integer(1))
    ),
    NativeCase(
      "order in the locale",
      "Values",
      .compare(.equal, .text(.localizedCompare, string, property("url")), integer(-1))
    ),
    NativeCase(
      "pattern",
      "Values",
      .matches(string, QueryPattern(source: "a") { $0.contains("a") })
    ),
    NativeCase("search", "Values", .searches(string, TextSearch("a"))),
    NativeCase("length", "Values", .compare(.greater, .aggregate(.count, string), integer(1))),
    NativeCase("empty", "Values", .aggregate(.isEmpty, string)),
    NativeCase("first letter", "Values", .compare(.equal, .aggregate(.first, string), text("a"))),
    NativeCase("one of two texts", "Values", .text(.contains, string, property("url"))),
    NativeCase(
      "a text behind a reference",
      "Item",
      .text(.contains, property("trip", "name"), text("b"))
    ),
  ]

  static let numbers: [NativeCase] =
    comparisons.flatMap { comparison in
      [
        NativeCase(
          "\(comparison) of a sum that may overflow",
          "Values",
          .compare(
            comparison,
            .arithmetic(.add, property("int8"), integer(100), .int8),
            property("int64")
          )
        ),
        NativeCase(
          "\(comparison) of a quotient",
          "Values",
          .compare(
            comparison,
            .arithmetic(.divide, integer(100), property("int8"), .int8),
            integer(3)
          )
        ),
        NativeCase(
          "\(comparison) with NaN",
          "Values",
          .compare(comparison, property("double"), .constant(.double(.nan)))
        ),
        NativeCase(
          "\(comparison) with -0.0",
          "Values",
          .compare(comparison, property("double"), .constant(.double(-0.0)))
        ),
        NativeCase(
          "\(comparison) with a real",
          "Values",
          .compare(comparison, property("double"), .constant(.double(1)))
        ),
        NativeCase(
          "\(comparison) of decimals",
          "Values",
          .compare(comparison, property("decimal"), .constant(.decimal(0.5)))
        ),
        NativeCase("\(comparison) of texts", "Values", .compare(comparison, string, text("é"))),
        NativeCase(
          "\(comparison) of truth values",
          "Values",
          .compare(comparison, property("bool"), .constant(.bool(true)))
        ),
      ]
    } + [
      NativeCase(
        "a negative",
        "Values",
        .compare(.greater, .negate(property("int8"), .int8), integer(1))
      ),
      NativeCase(
        "a range made of values",
        "Values",
        .isInRange(integer(1), lower: property("int8"), upper: property("int64"), closed: true)
      ),
      NativeCase(
        "a range that is upside down",
        "Values",
        .not(.isInRange(property("int8"), lower: integer(2), upper: integer(1), closed: true))
      ),
      NativeCase(
        "a list of reals",
        "Values",
        .contains(.constant(.array([.double(.nan), .double(0), .null])), property("double"))
      ),
    ]

  static let structures: [NativeCase] = [
    NativeCase("a member", "Values", .compare(.equal, .property(codable, "word"), text("é"))),
    NativeCase("a structure", "Values", .compare(.notEqual, codable, .constant(.composite([])))),
    NativeCase(
      "an element of a list",
      "Values",
      .contains(.property(codable, "list"), property("int64"))
    ),
    NativeCase(
      "some elements",
      "Values",
      .quantified(
        .some,
        .property(codable, "list"),
        variable: 1,
        .compare(.less, .element(1), property("int8"))
      )
    ),
    NativeCase(
      "each element",
      "Values",
      .quantified(
        .every,
        .property(codable, "list"),
        variable: 1,
        .compare(.greater, .unwrap(.element(1)), integer(-1))
      )
    ),
    NativeCase(
      "the number of some elements",
      "Values",
      .compare(
        .equal,
        .aggregate(
          .count,
          .filter(
            .property(codable, "list"),
            variable: 1,
            .compare(.greater, .element(1), integer(0))
          )
        ),
        integer(1)
      )
    ),
    NativeCase(
      "the least element",
      "Values",
      .compare(.less, .aggregate(.minimum, .property(codable, "list")), integer(1))
    ),
    NativeCase(
      "an element by index",
      "Values",
      .compare(.equal, .subscripted(.property(codable, "list"), integer(1)), integer(1))
    ),
    NativeCase(
      "an entry by key",
      "Values",
      .compare(.greater, .subscripted(codable, integer(1)), .constant(.double(0)))
    ),
  ]
}
