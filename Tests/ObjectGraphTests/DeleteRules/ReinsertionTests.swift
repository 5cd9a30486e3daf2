import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Inserting an object again after its delete rules were applied")
struct ReinsertionTests {
  /// The ways in which delete rules are applied, or not.
  enum Look: CaseIterable {
    case none, count, fetch, process

    func apply(_ context: ModelContext) throws {
      switch self {
      case .none: break
      case .count: _ = try context.fetchCount(FetchDescriptor<Band>())
      case .fetch: _ = try context.all(BandPlayer.self)
      case .process: context.processPendingChanges()
      }
    }
  }

  private func band(_ fixture: ContainerFixture) throws -> (ModelContext, Band) {
    let context = try fixture.context()
    let band = Band("b")
    band.players = ["x", "y"].map(BandPlayer.init)
    for player in band.players { player.strings = [BandString("\(player.name)1")] }
    band.fans = [Fan("f"), Fan("g")]
    context.insert(band)
    try context.save()
    return (context, band)
  }

  private func fixture(_ store: EveryStore) throws -> ContainerFixture {
    try ContainerFixture(store, for: Band.self, BandPlayer.self, BandString.self, Fan.self)
  }

  /// The stored bands, and the numbers of players and strings.
  private func stored(_ context: ModelContext) throws -> [String] {
    let fresh = ModelContext(context.container)
    let bands = try fresh.all(Band.self).map { band in
      let players = band.players.map { "\($0.name) of \($0.strings.map(\.name).joined())" }
      let fans = band.fans.map(\.name).sorted()
      return "\(band.name): \(players.joined(separator: ", ")); \(fans.joined(separator: ", "))"
    }
    let players = try fresh.fetchCount(FetchDescriptor<BandPlayer>())
    let strings = try fresh.fetchCount(FetchDescriptor<BandString>())
    return bands + ["\(players) \(strings)"]
  }

  @Test(arguments: EveryStore.withServerAndTextKeys, Look.allCases)
  func `restores the objects that a cascade has deleted`(store: EveryStore, look: Look) throws {
    let fixture = try fixture(store)
    let (context, band) = try band(fixture)
    context.delete(band)
    try look.apply(context)
    context.insert(band)
    #expect(band.players.map(\.name) == ["x", "y"])
    #expect(try context.fetchCount(FetchDescriptor<BandString>()) == 2)
    try context.save()
    #expect(try stored(context) == ["b: x of x1, y of y1; f, g", "2 2"])
    try StoredReferences.check(context.container)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys, Look.allCases)
  func `keeps what the program has deleted or moved itself`(store: EveryStore, look: Look) throws {
    let fixture = try fixture(store)
    let (context, band) = try band(fixture)
    let other = Band("other")
    context.insert(other)
    let players = band.players
    let fan = band.fans[0]
    context.delete(band)
    try look.apply(context)
    context.delete(players[0])
    fan.band = other
    context.insert(band)
    try context.save()
    #expect(try stored(context) == ["b: y of y1; g", "other: ; f", "1 1"])
    try StoredReferences.check(context.container)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys, Look.allCases)
  func `keeps what another deleted object deletes as well`(store: EveryStore, look: Look) throws {
    let fixture = try fixture(store)
    let (context, band) = try band(fixture)
    let players = band.players
    context.delete(players[0])
    context.delete(band)
    try look.apply(context)
    context.insert(band)
    try look.apply(context)
    try context.save()
    #expect(try stored(context) == ["b: y of y1; f, g", "1 1"])
  }
}

@Model
final class Band {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \BandPlayer.band) var players: [BandPlayer] = []
  @Relationship(inverse: \Fan.band) var fans: [Fan] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class BandPlayer {
  var name: String
  var band: Band?
  @Relationship(deleteRule: .cascade, inverse: \BandString.player) var strings: [BandString] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class BandString {
  var name: String
  var player: BandPlayer?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Fan {
  var name: String
  var band: Band?

  init(_ name: String) {
    self.name = name
  }
}
