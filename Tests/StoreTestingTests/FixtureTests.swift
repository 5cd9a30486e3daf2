import StoreTesting
import Testing

@Suite struct FixtureTests {
  private static let whole: Fixture = """
    {
      "Voyage": [
        {"$id": "north", "name": "North", "departure": "2026-05-01T08:30:00.250Z",
         "price": "12.50", "crew": ["ada", "bo"]},
        {"$id": 7, "$entity": "Race", "name": "Regatta", "departure": "2026-06-01",
         "prize": "Cup", "price": 99.5, "distance": 3}
      ],
      "Sailor": [
        {"$id": "ada", "name": "Ada \\u00e9\\n"},
        {"$id": "bo", "name": "Bo", "voyages": [7, "north"]}
      ],
      "Stop": [
        {"harbour": "Oslo", "purpose": "repair", "berth": {"pier": 4, "side": "left"},
         "voyage": "north"},
        {"harbour": "Lillehammer", "purpose": "rest", "voyage": 7},
        {"harbour": "Bergen", "purpose": "rest",
         "voyage": {"name": "West", "departure": "2026-07-01"}}
      ]
    }
    """

  @Test(arguments: kinds)
  func `a fixture's objects are saved with their relationships`(_ kind: String) throws {
    let container = try ModelContainer.ephemeral(for: schema, store: kind)
    let seeded = try container.seed(Self.whole)
    #expect(seeded.identifiers.count == 8)
    let context = ModelContext(container)
    let voyages = try context.fetch(FetchDescriptor<Voyage>(sortBy: [SortDescriptor(\.name)]))
    #expect(voyages.map(\.name) == ["North", "Regatta", "West"])
    #expect(voyages.map(\.price) == [Decimal(string: "12.5"), Decimal(string: "99.5"), nil])
    #expect(voyages.map(\.distance) == [100, 3, 100])
    #expect(voyages[0].departure.timeIntervalSince1970 == 1_777_624_200.25)
    #expect((voyages[1] as? Race)?.prize == "Cup")
    #expect(voyages.map { $0.crew.map(\.name).sorted() } == [["Ada é\n", "Bo"], ["Bo"], []])
    #expect(voyages.map { $0.stops.map(\.harbour) } == [["Oslo"], ["Lillehammer"], ["Bergen"]])
    let oslo = try #require(voyages[0].stops.first)
    #expect(oslo.purpose == .repair)
    #expect(oslo.berth == Stop.Berth(pier: 4, side: "left"))
    #expect(seeded["north"] == voyages[0].persistentModelID)
    #expect(seeded["7"] == voyages[1].persistentModelID)
    #expect(seeded["west"] == nil)
  }

  @Test func `the document of a JSON store can be read as a fixture`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "fixture-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "voyages.json")
    do {
      let configuration = try StoreScheme.configuration(
        for: "json:\(file.path(percentEncoded: false))?journal=off"
      )
      let container = try ModelContainer(
        for: Schema([Voyage.self, Race.self, Stop.self, Sailor.self]),
        configurations: [configuration]
      )
      let context = ModelContext(container)
      let voyage = Voyage(name: "North", departure: Date(timeIntervalSince1970: 0))
      voyage.price = Decimal(string: "12.50")
      context.insert(voyage)
      for name in ["Oslo", "Bergen", "Bodø"] { context.insert(Stop(name, voyage: voyage)) }
      voyage.crew = [Sailor("Ada")]
      try context.save()
    }
    let container = try ModelContainer.ephemeral(for: schema)
    try container.seed(Fixture(contentsOf: file))
    let read = try ModelContext(container).fetch(FetchDescriptor<Voyage>())
    #expect(read.map(\.price) == [Decimal(string: "12.5")])
    #expect(read.map { $0.stops.map(\.harbour) } == [["Oslo", "Bergen", "Bodø"]])
    #expect(read.map { $0.crew.map(\.name) } == [["Ada"]])
  }

  /// An invalid fixture and its error message.
  struct Mistake: CustomTestStringConvertible, Sendable {
    let text: String
    let reason: String
    var testDescription: String { reason }

    init(_ text: String, _ reason: String) {
      self.text = text
      self.reason = reason
    }
  }

  static let mistakes = [
    Mistake("", "the fixture is not valid JSON: "),
    Mistake("[]", "a fixture must be an object with a list for each model, not a list"),
    Mistake("{\n\"Boat\": []}", "the schema has no model Boat; it has Race, Sailor, Stop"),
    Mistake("{\"Sailor\": {}}", "the objects of Sailor must be in a list, not an object"),
    Mistake("{\"Sailor\": [\n4]}", "Sailor[0]: an object is expected, not 4"),
    Mistake("{\"Sailor\": [{\"name\": \"Ada\"}\n{}]}", "the fixture is not valid JSON: "),
    Mistake(
      "{\"Sailor\": [\n{\"nmae\": \"Ada\"}]}",
      "Sailor[0]: Sailor has no property nmae; it has"
    ),
    Mistake(
      "{\"Sailor\": [{\n\"name\": 4}]}",
      "Sailor[0].name: the value does not fit the property"
    ),
    Mistake("{\"Sailor\": [\n\n{}]}", "Sailor[0].name: the property is required and has no value"),
    Mistake("{\"Sailor\": [{\"name\": Ada}]}", "the fixture is not valid JSON: "),
    Mistake("{\"Sailor\": [{\"name\": \"Ada}]}\n", "the fixture is not valid JSON: "),
    Mistake(
      "{\"Sailor\": [{\"name\": \"A\",\n\"voyages\": [\"north\"]}]}",
      "Sailor[0].voyages[0]: no object has the $id north"
    ),
    Mistake(
      "{\"Sailor\": [{\"$id\": 1, \"name\": \"A\"},\n{\"$id\": 1, \"name\": \"B\"}]}",
      "Sailor[1]: the $id 1 is already used by Sailor[0]"
    ),
    Mistake(
      "{\"Voyage\": [{\"name\": \"A\",\n\"departure\": \"May\"}]}",
      "Voyage[0].departure: the value does not fit the property"
    ),
    Mistake(
      "{\"Sailor\": [{\n\"$entity\": \"Voyage\"}]}",
      "Sailor[0]: Voyage is not Sailor or a model that inherits from it"
    ),
    Mistake("{\"Sailor\": []} []", "the fixture is not valid JSON: "),
    Mistake(
      String(repeating: "[", count: 200) + String(repeating: "]", count: 200),
      "the fixture is not valid JSON: values nest deeper than 100 levels"
    ),
  ]

  @Test(arguments: mistakes)
  func `a mistake is reported with its location, and nothing is saved`(_ mistake: Mistake) throws {
    let container = try ModelContainer.ephemeral(for: schema)
    do {
      try container.seed(Fixture(mistake.text))
      Issue.record("the fixture was accepted")
    } catch let error as DataStoreError {
      #expect(error == .invalidValue)
      #expect(error.message.hasPrefix(mistake.reason), "\(error.message)")
    }
    for entity in schema.storeSchema.entities {
      let store = try #require(container.stores[0] as? any RecordStore)
      #expect(try store.count(StoreQuery(entity: entity.name)) == 0)
    }
  }

  @Test func `a missing required relationship fails the save`() throws {
    let container = try ModelContainer.ephemeral(for: schema)
    #expect(throws: (any Error).self) {
      try container.seed("{\"Stop\": [{\"harbour\": \"Oslo\", \"purpose\": \"rest\"}]}")
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Stop>()) == 0)
  }

  @Test func `a truncated fixture is refused with a typed error`() throws {
    let text = Self.text
    for length in stride(from: 0, to: text.count, by: 7) {
      let container = try ModelContainer.ephemeral(for: schema)
      do {
        try container.seed(Fixture(String(text.prefix(length))))
        Issue.record("a fixture of \(length) characters was accepted")
      } catch let error as DataStoreError {
        #expect(error == .invalidValue)
      }
    }
  }

  private static let text = """
    {"Sailor": [{"$id": "ada", "name": "Ada \\u00e9\\n", "voyages": ["n"]}],
     "Voyage": [{"$id": "n", "name": "N", "departure": "2026-05-01", "price": -1.5e2}]}
    """
}
