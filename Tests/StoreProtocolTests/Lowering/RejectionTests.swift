import Foundation
import ModelRuntime
import StoreProtocol
import Testing

@Suite("Lowering refuses")
struct RejectionTests {
  private func message(_ predicate: Predicate<Book>) throws -> String {
    let schema = try Library(bookCount: 1).schema
    let error = #expect(throws: SwiftDataError.self) {
      try StoreQuery(FetchDescriptor(predicate: predicate), schema: schema)
    }
    #expect(error == .unsupportedPredicate)
    return error?.message ?? ""
  }

  @Test func `a computed property`() throws {
    #expect(try message(#Predicate { $0.label == "x" }).contains("KeyPath"))
  }

  @Test func `a computed property of a structure`() throws {
    #expect(try message(#Predicate { $0.author?.address.label == "x" }).contains("KeyPath"))
  }

  @Test func `an order that differs from that of the raw values`() throws {
    let one = Inverted.first
    #expect(try message(#Predicate { $0.inverted < one }).hasPrefix("Comparison"))
  }

  @Test func `a key path that no store supports`() throws {
    #expect(try message(#Predicate { $0.title.utf8.count == 1 }).contains("KeyPath"))
  }

  @Test func `a range of a list`() throws {
    let range = 0..<1
    #expect(
      try message(#Predicate { $0.scores[range].contains(1) }).contains("CollectionRangeSubscript")
    )
  }

  @Test func `a model that the schema lacks`() {
    #expect(throws: SwiftDataError.unknownSchema) {
      try StoreQuery(FetchDescriptor<Book>(), schema: Schema([]))
    }
  }

  @Test func `key paths to fetch that are not stored properties`() throws {
    let schema = try Library(bookCount: 1).schema
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.title, \.author]
    descriptor.relationshipKeyPathsForPrefetching = [\.related]
    let query = try StoreQuery(descriptor, schema: schema)
    #expect(query.properties == ["title", "author"])
    #expect(query.prefetch == ["related"])
    descriptor.propertiesToFetch = [\.label]
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try StoreQuery(descriptor, schema: schema)
    }
  }
}
