import Foundation
import ModelRuntime
import StoreProtocol
import Testing

@Suite("Predicates on objects, types and components")
struct ObjectPredicateTests {
  @Test(arguments: types + components)
  func agrees(_ one: PredicateCase) throws { try one.check() }

  // The predicate checks each value before it unwraps or casts it.
  // swift-format-ignore: NeverForceUnwrap
  private static let types: [PredicateCase] = [
    PredicateCase("is", #Predicate { $0 is Comic }),
    PredicateCase("is not", #Predicate { !($0 is Comic) }),
    PredicateCase("as?", #Predicate { ($0 as? Comic)?.artist == "Moe" }),
    PredicateCase("as? nil", #Predicate { ($0 as? Comic) == nil }),
    PredicateCase("some related is", #Predicate { $0.related.contains { $0 is Comic } }),
    PredicateCase("guarded as!", #Predicate { $0 is Comic && ($0 as! Comic).artist == "Moe" }),
    PredicateCase("object == object", #Predicate { $0.related.first == $0.related.last }),
  ]

  private static let components: [PredicateCase] = [
    PredicateCase("renamed let", #Predicate { $0.author?.address.city == "Rome" }),
    PredicateCase("swapped name", #Predicate { $0.author?.address.street == "Main" }),
    PredicateCase("renamed number", #Predicate { ($0.author?.address.zip ?? 0) > 1 }),
    PredicateCase("nested", #Predicate { $0.author?.address.place.latitude == 1.5 }),
    PredicateCase("nested optional", #Predicate { $0.author?.address.place.name == "x" }),
    PredicateCase("enumeration", #Predicate { $0.author?.address.kind.rawValue == "essay" }),
  ]

  @Test func `compare identities with an identifier, a list and a set`() throws {
    let library = try Library()
    let wanted = library.books[3]
    let id = wanted.persistentModelID
    let authorID: PersistentIdentifier? = library.authors[0].persistentModelID
    let list = library.books.prefix(3).map(\.persistentModelID)
    let set = Set(library.books.prefix(4).map(\.persistentModelID))
    let predicates: [Predicate<Book>] = [
      #Predicate { $0.persistentModelID == id },
      #Predicate { $0.id == id },
      #Predicate { list.contains($0.persistentModelID) },
      #Predicate { set.contains($0.persistentModelID) },
      #Predicate { $0.author?.persistentModelID == authorID },
      #Predicate { $0.related.contains { $0.persistentModelID == id } },
      #Predicate { book in book.related.contains(book) },
      #Predicate { book in book.author == nil },
    ]
    for predicate in predicates {
      #expect(try library.rows(matching: predicate) == library.objects(matching: predicate))
    }
    let query = try StoreQuery(FetchDescriptor(predicate: predicates[0]), schema: library.schema)
    #expect(query.identifiers == [id])
    let many = try StoreQuery(FetchDescriptor(predicate: predicates[2]), schema: library.schema)
    #expect(many.identifiers == list)
  }

  @Test func `can use inherited properties of a subclass`() throws {
    let library = try Library(seed: 5)
    let artist = "Moe"
    let predicates: [Predicate<Comic>] = [
      #Predicate { $0.title < "b" }, #Predicate { $0.artist == artist && $0.isOut },
      #Predicate { $0.author?.name != "a" }, #Predicate { $0.related.count > 1 },
      #Predicate { $0.genre?.rawValue == "novel" },
    ]
    let comics = library.books.compactMap { $0 as? Comic }
    for predicate in predicates {
      let rows = try library.evaluate(FetchDescriptor(predicate: predicate))
      let objects = try comics.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
      #expect(rows == objects.sorted())
    }
  }
}
