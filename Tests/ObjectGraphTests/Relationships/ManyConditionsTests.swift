import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Many conditions on a relationship")
struct ManyConditionsTests {
  private let fixtures = ContainerFixtures()

  /// Makes 30 links in a ring, each of which has one before it.
  private func ring(_ kind: EveryStore) throws -> ModelContainer {
    let container = try fixtures.open(kind, for: Link.self)
    let context = ModelContext(container)
    let links = (0..<30).map { Link($0) }
    for link in links { context.insert(link) }
    for (link, next) in zip(links, links.dropFirst() + links.prefix(1)) { link.next = next }
    try context.save()
    return container
  }

  /// Returns the shortest time of a fetch, which must find the link after number 7.
  private func time(
    _ conditions: [Predicate<Link>],
    _ container: ModelContainer
  ) throws -> Duration {
    let descriptor = FetchDescriptor(predicate: Predicate(any: conditions))
    return try (0..<2).map { _ in
      try ThreadTime.measure {
        let found = try ModelContext(container).fetch(descriptor)
        #expect(found.map(\.number) == [8])
      }
    }
    .min() ?? .zero
  }

  /// Returns conditions that no link fulfills, and one that the link after number 7 does.
  private func conditions(_ count: Int) -> [Predicate<Link>] {
    ((1..<count).map { -$0 } + [7]).map { number in
      #Predicate { link in link.previous.contains { $0.number == number } }
    }
  }

  // SQL evaluates the few, and the engine's evaluator the many. If each of these read the related
  // objects by itself, they would take seconds.
  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `take time in proportion to their number`(kind: EveryStore) throws {
    let container = try ring(kind)
    let few = try time(conditions(200), container)
    let many = try time(conditions(1_600), container)
    #expect(many < few * 24 + .seconds(1), "\(many) instead of \(few)")
  }
}

@Model
private final class Link {
  var number: Int
  var next: Link?
  @Relationship(inverse: \Link.next) var previous: [Link] = []

  init(_ number: Int) { self.number = number }
}
