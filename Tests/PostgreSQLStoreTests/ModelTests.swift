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
}
