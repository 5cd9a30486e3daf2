import Foundation
import ModelRuntime
import QueryEvaluation
import StoreProtocol
import Testing
import StoreTestSupport

@Suite("Conditions by property name")
struct NamedConditionTests {
  struct Question: CustomTestStringConvertible, Sendable {
    let property: String
    let comparison: NamedComparison
    let text: String?
    let written: Predicate<Book>

    init(
      _ property: String,
      _ comparison: NamedComparison,
      _ text: String?,
      _ written: Predicate<Book>
    ) {
      self.property = property
      self.comparison = comparison
      self.text = text
      self.written = written
    }

    var testDescription: String { "\(property) \(comparison.rawValue) \(text ?? "nil")" }
  }

  @Test(arguments: questions)
  func agrees(_ one: Question) throws {
    let named = try Book.where(one.property, one.comparison, one.text)
    for seed in 1...3 as ClosedRange<UInt64> {
      let library = try Library(seed: seed)
      let expected = try library.objects(matching: one.written)
      #expect(try library.rows(matching: named) == expected)
      #expect(try library.objects(matching: named) == expected)
    }
  }

  private static let day = Date(timeIntervalSinceReferenceDate: 0)
  private static let quarter = Date(timeIntervalSinceReferenceDate: 0.25)
  private static let isbn = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))
  private static let site = URL(string: "https://a.b/c?d=e")
  private static let cost = Decimal(string: "0.1") ?? 0

  private static let questions = [
    Question("title", .equals, "a", #Predicate { $0.title == "a" }),
    Question("title", .startsWith, "a", #Predicate { $0.title.starts(with: "a") }),
    Question("title", .contains, "", #Predicate { $0.title.contains("") }),
    Question("pages", .isAtLeast, "7", #Predicate { $0.pages >= 7 }),
    Question("small", .isLess, "-1", #Predicate { $0.small < -1 }),
    Question("big", .equals, "18446744073709551615", #Predicate { $0.big == 18446744073709551615 }),
    Question("price", .isGreater, "1e-8", #Predicate { $0.price > 1e-8 }),
    Question("cost", .equals, "0.10", #Predicate { $0.cost == cost }),
    Question("isOut", .equals, "Yes", #Predicate { $0.isOut }),
    Question("printed", .isAtMost, "2001-01-01", #Predicate { $0.printed <= day }),
    Question("printed", .isAtMost, "2001-01-01T00:00:00Z", #Predicate { $0.printed <= day }),
    Question("printed", .isAtMost, "2001-01-01T02:00:00+02:00", #Predicate { $0.printed <= day }),
    Question(
      "printed",
      .isAtMost,
      "2001-01-01 00:00:00.25",
      #Predicate {
        $0.printed <= quarter
      }
    ),
    Question("isbn", .equals, isbn.uuidString.lowercased(), #Predicate { $0.isbn == isbn }),
    Question("site", .equals, "https://a.b/c?d=e", #Predicate { $0.site == site }),
    Question("genre", .equals, "verse", #Predicate { $0.genre?.rawValue == "verse" }),
    Question("year", .equals, nil, #Predicate { $0.year == nil }),
    Question("year", .isNot, nil, #Predicate { $0.year != nil }),
    Question("author", .equals, nil, #Predicate { $0.author == nil }),
    Question(
      "author.name",
      .localizedStandardContains,
      "A",
      #Predicate {
        $0.author?.name.localizedStandardContains("A") ?? false
      }
    ),
    Question("author.mentor.name", .isNot, "a", #Predicate { $0.author?.mentor?.name != "a" }),
  ]

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `parse dates in Foundation's ISO 8601 format`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let seconds = Int.random(in: -12_000_000_000...250_000_000_000, using: &random)
    let date = Date(timeIntervalSinceReferenceDate: Double(seconds))
    let book = Book()
    book.printed = date
    #expect(try Book.where("printed", .equals, date.formatted(.iso8601)).evaluate(book))
  }

  @Test
  func `can match one of several values`() throws {
    let library = try Library()
    let wanted = [0, 7]
    #expect(
      try library.rows(matching: Book.where("pages", isIn: ["0", "7"]))
        == library.objects(matching: #Predicate { wanted.contains($0.pages) })
    )
  }

  @Test(arguments: [
    ("pages", "many"), ("pages", ""), ("pages", "7.5"), ("small", "128"), ("big", "-1"),
    ("price", "nan"), ("price", "0x1p3"), ("price", "1,5"), ("cost", "12abc"), ("isOut", "maybe"),
    ("printed", "yesterday"), ("printed", "2001-13-01"), ("printed", "2001-01-01T25:00:00Z"),
    ("printed", "2001-01-01 and more"), ("printed", "2001-02-29"), ("printed", "2001-1-1"),
    ("printed", "2001-01-01T00:00:00Z1"), ("printed", "2001-01-01T00:00:00.Z"),
    ("printed", "2001-01-01T00"), ("printed", "\u{662}001-01-01"), ("isbn", "1"), ("data", "*"),
  ])
  func `refuse an invalid string with an error that names the property and the string`(
    _ property: String,
    _ text: String
  ) throws {
    let error = #expect(throws: DataStoreError.self) { try Book.where(property, .equals, text) }
    #expect(error == .invalidValue)
    #expect(error?.property == property)
    #expect(error?.entity == "Book")
    #expect(error?.message.contains(text.debugDescription) == true)
  }

  @Test(arguments: [
    "prise", "", "author.", ".title", "title.count", "related", "author.nme", "hashValue",
  ])
  func `refuse an unknown property`(_ property: String) {
    let error = #expect(throws: SwiftDataError.self) { try Book.where(property, .equals, "1") }
    #expect(error?.code == SwiftDataError.unsupportedKeyPath.code)
    #expect(error?.property == property)
  }

  private static let impossible: [(String, NamedComparison, String?)] = [
    ("pages", .contains, "7"), ("pages", .search, "7"), ("counts", .equals, "x"),
    ("author", .equals, "Ann"), ("title", .isLess, nil), ("title", .contains, nil),
  ]

  @Test(arguments: impossible)
  func `refuse a comparison that the property does not support`(
    _ property: String,
    _ comparison: NamedComparison,
    _ text: String?
  ) {
    let error = #expect(throws: SwiftDataError.self) {
      try Book.where(property, comparison, text)
    }
    #expect(error?.code == SwiftDataError.unsupportedPredicate.code)
  }

  @Test
  func `can be built without models`() throws {
    let schema = Schema([Book.self]).storeSchema
    let expression = try QueryExpression(
      where: "author.name",
      .contains,
      "a",
      of: "Book",
      in: schema
    )
    let name = QueryExpression.property(.property(.element(0), "author"), "name")
    #expect(
      expression
        == .and([
          .compare(.notEqual, name, .constant(.null)),
          .text(.contains, name, .constant(.string("a"))),
        ])
    )
    #expect(
      try QuerySort(named: "-author.name", of: "Book", in: schema)
        == QuerySort(name, isReversed: true)
    )
  }

  @Test(arguments: [
    ["title"], ["-pages", "title"], ["author.name", "-price"], ["isOut", "genre"],
    ["-author.mentor.name"],
  ])
  func `sort objects and rows in the same order`(_ names: [String]) throws {
    let library = try Library()
    let schema = library.schema.storeSchema
    var query = StoreQuery(entity: "Book")
    query.sort = try names.map { try QuerySort(named: $0, of: "Book", in: schema) }
    let expected = try library.evaluator.evaluate(query, over: library.rows).map(\.identifier)
    let descriptors = try SortDescriptor<Book>.named(names)
    #expect(try library.evaluate(FetchDescriptor<Book>(sortBy: descriptors)) == expected)
    let sorted = library.books.sorted(using: descriptors + [SortDescriptor(\.persistentModelID)])
    #expect(sorted.map(\.persistentModelID) == expected)
  }

  @Test(arguments: ["author", "scores", "counts", "-author"])
  func `refuse a sort by a property without an order`(_ name: String) {
    let error = #expect(throws: SwiftDataError.self) { try SortDescriptor<Book>.named([name]) }
    #expect(error?.code == SwiftDataError.unsupportedSortDescriptor.code)
  }
}
