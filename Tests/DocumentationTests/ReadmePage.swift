import Foundation
// snippet.readme-import
import OpenSwiftData
// snippet.end
import Testing

@Suite struct `The code of README.md` {
  @Test func `prints the long trip`() throws {
    let container = try ModelContainer(for: Readme.Trip.self, store: "memory:")
    #expect(try Readme.use(container) == ["Fjords"])
  }

  @Test func `stores no duplicates when it runs twice`() throws {
    let container = try ModelContainer(for: Readme.Trip.self, store: "memory:")
    _ = try Readme.use(container)
    #expect(try Readme.use(container) == ["Fjords"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Readme.Trip>()) == 2)
  }
}

enum Readme {
  // snippet.readme-models
  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    var nights: Int

    init(_ name: String, nights: Int) {
      self.name = name
      self.nights = nights
    }
  }
  // snippet.end

  static func open() throws -> ModelContainer {
    // snippet.readme-open
    let container = try ModelContainer(for: Trip.self, store: "sqlite:trips.db")
    // snippet.end
    return container
  }

  static func use(_ container: ModelContainer) throws -> [String] {
    // snippet.readme-use
    let context = ModelContext(container)
    context.insert(Trip("Fjords", nights: 7))
    context.insert(Trip("Alps", nights: 3))
    try context.save()

    let long = FetchDescriptor<Trip>(predicate: #Predicate { $0.nights > 5 })
    let names = try context.fetch(long).map(\.name)
    print(names)  // ["Fjords"]
    // snippet.end
    return names
  }
}
