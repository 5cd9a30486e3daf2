import Foundation
import ModelLayer
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreProtocol
import Testing

@Model final class Harbor {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Ferry.harbor) var ferries: [Ferry] = []

  init(name: String) { self.name = name }
}

@Model final class Ferry {
  var length: Double
  var harbor: Harbor?
  var former: PersistentIdentifier?

  init(length: Double) { self.length = length }
}

@Suite(
  .enabled(
    if: PrivateCluster.isAvailable || PrivateCluster.isRequired,
    "no PostgreSQL server is installed"
  )
)
struct `Models in PostgreSQL` {
  @Test func `objects are saved, fetched, sorted and deleted by their delete rules`() throws {
    let configuration = try PostgreSQLStoreConfiguration(
      PrivateCluster.shared().configuration(),
      databaseSchema: "m" + UUID().uuidString
    )
    defer { try? SchemaFixture().destroy(configuration) }
    let container = try ModelContainer(for: Harbor.self, Ferry.self, configurations: configuration)
    let context = ModelContext(container)
    let harbor = Harbor(name: "Kiel")
    context.insert(harbor)
    for length in [30.5, 120, 75] {
      let ferry = Ferry(length: length)
      context.insert(ferry)
      ferry.harbor = harbor
    }
    try context.save()

    let other = ModelContext(container)
    let long = FetchDescriptor<Ferry>(
      predicate: #Predicate { $0.length > 50 && $0.harbor?.name == "Kiel" },
      sortBy: [SortDescriptor(\.length)]
    )
    #expect(try other.fetch(long).map(\.length) == [75, 120])
    #expect(try other.fetch(FetchDescriptor<Harbor>()).first?.ferries.count == 3)

    context.delete(harbor)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ferry>()) == 0)
  }

  @Test func `identifiers of another store find nothing, except in attributes`() throws {
    let configurations = try (0..<2).map { _ in
      try PostgreSQLStoreConfiguration(
        PrivateCluster.shared().configuration(),
        databaseSchema: "m" + UUID().uuidString
      )
    }
    defer { for configuration in configurations { try? SchemaFixture().destroy(configuration) } }
    let contexts = try configurations.map {
      ModelContext(try ModelContainer(for: Harbor.self, Ferry.self, configurations: $0))
    }
    for context in contexts {
      let harbor = Harbor(name: "Kiel")
      context.insert(harbor)
      context.insert(Ferry(length: 1))
      try context.save()
      try context.fetch(FetchDescriptor<Ferry>())[0].harbor = harbor
      try context.save()
    }
    let id = try contexts[0].fetch(FetchDescriptor<Harbor>())[0].persistentModelID
    let (ids, here) = ([id], ModelContext(contexts[1].container))
    func harbors(_ predicate: Predicate<Harbor>) throws -> Int {
      try here.fetch(FetchDescriptor(predicate: predicate)).count
    }
    func ferries(_ predicate: Predicate<Ferry>) throws -> Int {
      try here.fetch(FetchDescriptor(predicate: predicate)).count
    }
    #expect(try harbors(#Predicate { $0.persistentModelID == id }) == 0)
    #expect(try harbors(#Predicate { $0.persistentModelID != id }) == 1)
    #expect(try harbors(#Predicate { ids.contains($0.persistentModelID) }) == 0)
    #expect(try ferries(#Predicate { $0.harbor?.persistentModelID == id }) == 0)
    try here.delete(model: Harbor.self, where: #Predicate { $0.persistentModelID == id })
    try here.delete(model: Ferry.self, where: #Predicate { $0.harbor?.persistentModelID == id })
    try here.save()
    #expect(try here.fetchCount(FetchDescriptor<Harbor>()) == 1)
    #expect(try ferries(#Predicate { $0.former == id }) == 0)
    try here.fetch(FetchDescriptor<Ferry>())[0].former = id
    try here.save()
    #expect(try ferries(#Predicate { $0.former == id }) == 1)
    #expect(try ferries(#Predicate { $0.former != id }) == 0)
  }
}
