import Foundation
// snippet.readme-import
import OpenSwiftData
// snippet.end
import Testing

@Suite struct `The code of README.md` {
  @Test func `prints the long trip`() throws {
    let container = try ModelContainer(for: Readme.Trip.self, store: "memory:")
    #expect(try Readme.use(ModelContext(container)) == ["Fjords"])
  }

  @Test func `stores no duplicates when it runs twice`() throws {
    let container = try ModelContainer(for: Readme.Trip.self, store: "memory:")
    _ = try Readme.use(ModelContext(container))
    #expect(try Readme.use(ModelContext(container)) == ["Fjords"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Readme.Trip>()) == 2)
  }
}

enum Readme {
  // snippet.readme-models
  @Model final class Trip {
    @Attribute(.unique) var name: String
    var nights: Int
    init(_ name: String, nights: Int) { (self.name, self.nights) = (name, nights) }
  }
  // snippet.end

  static func open() throws -> ModelContext {
    // snippet.readme-open
    let context = ModelContext(try ModelContainer(for: Trip.self, store: "sqlite:trips.db"))
    // snippet.end
    return context
  }

  static func use(_ context: ModelContext) throws -> [String] {
    // snippet.readme-use
    context.insert(Trip("Fjords", nights: 7))
    context.insert(Trip("Alps", nights: 3))
    try context.save()
    let long = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.nights > 5 }))
    print(long.map(\.name))  // ["Fjords"]
    // snippet.end
    return long.map(\.name)
  }
}
