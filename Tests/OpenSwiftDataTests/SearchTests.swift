import OpenSwiftData
import StoreTestSupport
import Testing

@Model
final class Place {
  @Attribute(.fullText) var title: String
  @Attribute(.fullText) var notes: String?
  var country: String
  var price: Double
  var near: Place?

  init(_ title: String, notes: String? = nil, country: String = "", price: Double = 0) {
    self.title = title
    self.notes = notes
    self.country = country
    self.price = price
  }
}

@Suite("Searches and dynamic predicates on every store")
struct SearchTests {
  private static let search = TextSearch("sea \"hot spring\" beach* -rain")
  private static let cafe = TextSearch("caf\u{E9}")

  private func fill(_ url: String) throws -> ModelContainer {
    let container = try ModelContainer(for: Place.self, store: url)
    let context = ModelContext(container)
    let bath = Place(
      "Bath",
      notes: "A hot spring by the Sea, with beaches",
      country: "UK",
      price: 9
    )
    let wells = Place("Wells", notes: "Hot springs, sea, beach, rain", country: "UK", price: 3)
    let cafe = Place("CAFE M\u{FC}ller", country: "CH", price: 5)
    let aachen = Place("Aachen", notes: "Hot spring! No beach at the sea. Rain.", country: "DE")
    cafe.near = bath
    aachen.near = cafe
    for place in [bath, wells, cafe, aachen] { context.insert(place) }
    try context.save()
    return container
  }

  private func titles(
    _ predicate: Predicate<Place>,
    _ context: ModelContext,
    isNative: Bool = true
  ) throws -> [String] {
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])
    descriptor.requiresNative = isNative
    return try context.fetch(descriptor).map(\.title)
  }

  @Test(arguments: EveryStore.allCases)
  func `a search finds the same objects on every store`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let (search, cafe) = (Self.search, Self.cafe)
    let context = ModelContext(try fill(store.url(in: folder)))
    #expect(
      try titles(#Predicate { $0.notes?.contains(search) == true }, context) == ["Bath"]
    )
    #expect(
      try titles(#Predicate { !($0.notes?.contains(search) ?? false) }, context)
        == ["Aachen", "CAFE M\u{FC}ller", "Wells"]
    )
    #expect(
      try titles(#Predicate { $0.title.contains(cafe) }, context) == ["CAFE M\u{FC}ller"]
    )
    #expect(
      try titles(#Predicate { $0.near?.title.contains(cafe) ?? false }, context) == ["Aachen"]
    )
    #expect(
      try titles(#Predicate { $0.notes?.contains(search) == true || $0.price == 5 }, context)
        == ["Bath", "CAFE M\u{FC}ller"]
    )
  }

  @Test(arguments: EveryStore.allCases)
  func `a search includes unsaved new and changed objects`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let search = TextSearch("rain")
    let context = ModelContext(try fill(store.url(in: folder)))
    let isWet = #Predicate<Place> { $0.notes?.contains(search) == true }
    let wells = try #require(try context.fetch(FetchDescriptor(predicate: isWet)).first)
    wells.notes = "dry"
    context.insert(Place("Bergen", notes: "It RAINS; rain"))
    let expected = ["Aachen", "Bergen"]
    #expect(try titles(isWet, context, isNative: false) == expected)
    try context.save()
    #expect(try titles(isWet, ModelContext(context.container)) == expected)
  }

  @Test(arguments: EveryStore.allCases)
  func `conditions are combined at run time`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try fill(store.url(in: folder)))
    var wanted: [Predicate<Place>] = [Place.where(\.price, .isAtLeast(3))]
    #expect(try titles(Predicate(all: wanted), context).count == 3)
    wanted.append(Place.where(\.country, .isIn(["CH", "UK"])))
    wanted.append(!Place.where(\.notes, .isNil))
    #expect(try titles(Predicate(all: wanted), context) == ["Bath", "Wells"])
    wanted.append(Place.where(\.notes, .contains(Self.search)))
    #expect(try titles(Predicate(all: wanted), context) == ["Bath"])
    let near = Place.where(\.near?.near?.title, .starts(with: "Ba"))
    #expect(try titles(Predicate(all: wanted) || near, context) == ["Aachen", "Bath"])
    #expect(try titles(Predicate(any: []), context) == [])
    #expect(try titles(Predicate(all: []), context).count == 4)
  }

  @Test(arguments: EveryStore.allCases)
  func `conditions and sort orders by name reach the store`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try fill(store.url(in: folder)))
    var descriptor = FetchDescriptor(
      predicate: try Place.where("notes", .search, "sea OR hot")
        && Place.where("price", .isAtMost, "9"),
      sortBy: try SortDescriptor.named(["-country", "near.title", "title"])
    )
    descriptor.requiresNative = true
    #expect(try context.fetch(descriptor).map(\.title) == ["Bath", "Wells", "Aachen"])
  }

  @Test func `SQLite evaluates a search with its full-text index`() throws {
    let container = try fill("sqlite::memory:")
    let search = Self.search
    let descriptor = FetchDescriptor<Place>(
      predicate: #Predicate { $0.notes?.contains(search) == true }
    )
    let explained = try ModelContext(container).explain(descriptor).description
    #expect(explained.contains("words Place(notes)"))
  }
}
