import Foundation
import ModelRuntime
import StoreProtocol
import Testing

@Suite("Lowering of sort descriptors")
struct SortLoweringTests {
  /// Sort descriptors with a description for the test report.
  struct Order: CustomTestStringConvertible, @unchecked Sendable {
    // Unchecked: key paths are not marked Sendable.
    let testDescription: String
    let terms: [SortDescriptor<Book>]
  }

  static let orders: [Order] = [
    Order(testDescription: "string", terms: [SortDescriptor(\.title)]),
    Order(testDescription: "string reversed", terms: [SortDescriptor(\.title, order: .reverse)]),
    Order(testDescription: "lexical", terms: [SortDescriptor(\.title, comparator: .lexical)]),
    Order(testDescription: "optional string", terms: [SortDescriptor(\.subtitle)]),
    Order(testDescription: "optional number", terms: [SortDescriptor(\.year, order: .reverse)]),
    Order(
      testDescription: "date, then number",
      terms: [SortDescriptor(\.printed), SortDescriptor(\.pages, order: .reverse)]
    ),
    Order(testDescription: "decimal", terms: [SortDescriptor(\.cost)]),
    Order(testDescription: "unsigned", terms: [SortDescriptor(\.big)]),
    Order(testDescription: "UUID", terms: [SortDescriptor(\.isbn)]),
    Order(testDescription: "name of the related object", terms: [SortDescriptor(\.author?.name)]),
    Order(testDescription: "two steps", terms: [SortDescriptor(\.author?.mentor?.name)]),
    Order(
      testDescription: "raw values of the related object",
      terms: [SortDescriptor(\.author?.rank)]
    ),
    Order(
      testDescription: "component of the related object",
      terms: [SortDescriptor(\.author?.address.zip, order: .reverse)]
    ),
    Order(testDescription: "number of elements", terms: [SortDescriptor(\.scores.count)]),
    Order(testDescription: "number of objects", terms: [SortDescriptor(\.related.count)]),
    Order(testDescription: "identity", terms: [SortDescriptor(\.persistentModelID)]),
  ]

  @Test(arguments: orders)
  func `rows have the order of the objects, and ties are ordered by identifier`(
    _ order: Order
  ) throws {
    let library = try Library(seed: 7)
    let objects = library.books.sorted { first, second in
      for term in order.terms {
        let result = term.compare(first, second)
        if result != .orderedSame { return result == .orderedAscending }
      }
      return first.persistentModelID < second.persistentModelID
    }
    let rows = try library.evaluate(FetchDescriptor<Book>(sortBy: order.terms))
    #expect(rows == objects.map(\.persistentModelID))
  }

  @Test func `paths are lowered to properties`() throws {
    let schema = try Library(bookCount: 1).schema
    func lowered(_ descriptor: SortDescriptor<Book>) throws -> QueryExpression? {
      let descriptor = FetchDescriptor<Book>(sortBy: [descriptor])
      return try StoreQuery(descriptor, schema: schema).sort.first?.value
    }
    let author = QueryExpression.property(.element(0), "author")
    #expect(try lowered(SortDescriptor(\.author?.name)) == .property(author, "name"))
    #expect(
      try lowered(SortDescriptor(\.author?.mentor?.name))
        == .property(.property(author, "mentor"), "name")
    )
    #expect(
      try lowered(SortDescriptor(\.author?.address.zip))
        == .property(.property(author, "address"), "code")
    )
    #expect(try lowered(SortDescriptor(\.persistentModelID)) == .element(0))
  }

  @Test func `an offset and a limit are applied after the order`() throws {
    let library = try Library(seed: 3)
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    let all = try library.evaluate(descriptor)
    descriptor.fetchOffset = 5
    descriptor.fetchLimit = 7
    #expect(try library.evaluate(descriptor) == Array(all[5..<12]))
    descriptor.fetchOffset = 58
    #expect(try library.evaluate(descriptor) == Array(all[58...]))
    descriptor.fetchOffset = 1_000
    #expect(try library.evaluate(descriptor).isEmpty)
    descriptor.fetchOffset = nil
    descriptor.fetchLimit = 0
    #expect(try library.evaluate(descriptor).isEmpty)
  }

  @Test func `a value without a stored order is refused`() throws {
    let schema = try Library(bookCount: 1).schema
    let refused: [SortDescriptor<Book>] = [
      SortDescriptor(\.inverted), SortDescriptor(\.title.utf8.count), SortDescriptor(\.label),
    ]
    for term in refused {
      #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
        try StoreQuery(FetchDescriptor<Book>(sortBy: [term]), schema: schema)
      }
    }
  }
}

extension Book {
  /// A computed property, which no store supports.
  var label: String { title + "!" }
}
