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

  @Test func `a computed property, and lists the stored ones of its type`() throws {
    let message = try message(#Predicate { $0.label == "x" })
    #expect(message.contains("the key path from Book to String, such as a computed or @Transient"))
    #expect(message.contains("write what it computes, or store it in a property"))
    #expect(message.contains("Book stores as String: title"))
  }

  @Test func `a sort by a computed property, unlike one by values without an order`() throws {
    func message(_ order: SortDescriptor<Book>) throws -> String {
      let schema = try Library(bookCount: 1).schema
      let descriptor = FetchDescriptor(sortBy: [order])
      let error = #expect(throws: SwiftDataError.self) {
        try StoreQuery(descriptor, schema: schema)
      }
      #expect(error == .unsupportedSortDescriptor)
      return error?.message ?? ""
    }
    #expect(try message(SortDescriptor(\.label)).contains("such as a computed or @Transient"))
    let inverted = try message(SortDescriptor(\.inverted))
    #expect(inverted == "stores cannot sort by values of type Inverted")
  }

  @Test func `a computed property of a structure`() throws {
    #expect(try message(#Predicate { $0.author?.address.label == "x" }).contains("KeyPath"))
  }

  @Test func `a computed property that changes only some values of a structure`() throws {
    let predicates: [Predicate<Book>] = [
      #Predicate { $0.author?.address.loud == "x" },
      #Predicate { $0.author?.address.isNorth == true },
      #Predicate { $0.author?.address.northernLatitude == 1 },
    ]
    for predicate in predicates { #expect(try message(predicate).contains("KeyPath")) }
  }

  @Test func `a computed property of a subclass, even if it equals a property for most values`()
    throws
  {
    let schema = try Library(bookCount: 1).schema
    let date = Date.distantPast
    let predicates: [Predicate<Comic>] = [
      #Predicate { $0.loudTitle == "x" }, #Predicate { $0.reach == 1 },
      #Predicate { $0.present > date }, #Predicate { $0.signature == "x" },
    ]
    for predicate in predicates {
      #expect(throws: SwiftDataError.unsupportedPredicate) {
        try StoreQuery(FetchDescriptor(predicate: predicate), schema: schema)
      }
    }
  }

  @Test func `a requirement of a protocol, and names the way around it`() throws {
    func titled<T: Titled>(_ title: String, _: T.Type) -> Predicate<T> {
      #Predicate { $0.title == title }
    }
    #expect(try message(titled("x", Book.self)).contains("T.where(T.key, …)"))
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

protocol Titled: PersistentModel {
  var title: String { get }
}

extension Book: Titled {}

extension Address {
  fileprivate var loud: String { city.uppercased() }
  fileprivate var isNorth: Bool { place.latitude > 0 }
  fileprivate var northernLatitude: Double { max(0, place.latitude) }
}

extension Comic {
  fileprivate var loudTitle: String { title.uppercased() }
  fileprivate var reach: Int { min(abs(pages), 100) }
  fileprivate var present: Date { min(printed, .now) }
  /// Equal to the artist for every value that a query can try.
  fileprivate var signature: String { artist == "Anonymous" ? "–" : artist }
}
