import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

extension Vehicle {
  /// A computed property, which no store has.
  var shout: String { name.uppercased() }
}

@Suite("A predicate that no query can express")
struct RejectedPredicateTests {
  @Test(arguments: EveryStore.allCases)
  func `is refused before anything is read, by every kind of fetch`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try ModelContainer(vehicles: store.url(in: folder)))
    context.insert(Vehicle("a"))
    try context.save()
    let predicate = #Predicate<Vehicle> { $0.shout == "A" }
    let descriptor = FetchDescriptor(predicate: predicate)
    let error = #expect(throws: SwiftDataError.self) { try context.fetch(descriptor) }
    #expect(error == .unsupportedPredicate)
    #expect("\(try #require(error))".contains("KeyPath"))
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetchCount(descriptor) }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetchIdentifiers(descriptor)
    }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.explain(descriptor) }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(descriptor, select: \.name)
    }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.delete(model: Vehicle.self, where: predicate)
    }
    #expect(!context.hasChanges)
    context.insert(Vehicle("b"))
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetch(descriptor) }
  }
}
