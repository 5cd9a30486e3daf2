import OpenSwiftData
import StoreTestSupport
import Testing

@Model
final class Pebble {
  var number: Int
  var weight: Double

  init(_ number: Int, weight: Double) {
    self.number = number
    self.weight = weight
  }
}

/// A store that reads rows in another order than their keys announces the next rows.
///
/// The context looks up the objects of these rows together. The results of a fetch must be the
/// same.
@Suite("Fetching registered objects in another order")
struct ReorderedFetchTests {
  private static let count = 500

  private static func filled(_ store: EveryStore) throws -> ContainerFixture {
    let fixture = try ContainerFixture(store, for: Pebble.self)
    var random = SeededGenerator(seed: 11)
    let context = try fixture.context()
    for number in 0..<count {
      context.insert(Pebble(number, weight: Double(Int.random(in: 0..<200, using: &random))))
    }
    try context.save()
    return fixture
  }

  private static var byWeight: FetchDescriptor<Pebble> {
    FetchDescriptor(sortBy: [SortDescriptor(\.weight), SortDescriptor(\.number)])
  }

  @Test(arguments: EveryStore.withTextKeys, [1, 3, 1_000])
  func `returns the registered objects with their current values`(
    _ store: EveryStore,
    _ step: Int
  ) throws {
    let fixture = try Self.filled(store)
    let here = try fixture.context()
    let there = ModelContext(here.container)
    let registered = try here.all(Pebble.self).filter { $0.number.isMultiple(of: step) }
    here.evictUnused()
    let byNumber = Dictionary(uniqueKeysWithValues: registered.map { ($0.number, $0) })

    let others = try there.all(Pebble.self)
    for pebble in others where pebble.number % 5 == 0 { pebble.weight = 500 - pebble.weight }
    for pebble in others where pebble.number % 50 == 7 { there.delete(pebble) }
    there.insert(Pebble(Self.count, weight: 100))
    try there.save()

    let found = try here.fetch(Self.byWeight)
    let expected = try ModelContext(here.container).all(Pebble.self)
      .sorted { ($0.weight, $0.number) < ($1.weight, $1.number) }
    #expect(found.map(\.number) == expected.map(\.number))
    #expect(found.map(\.weight) == expected.map(\.weight))
    for pebble in found {
      if let registered = byNumber[pebble.number] { #expect(registered === pebble) }
    }
    #expect(found.count == Self.count - 9)
  }
}
