import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Unique values")
struct UniqueValueTests {
  private let fixtures = ContainerFixtures()

  /// Saves coins one after the other, and returns the counts of those that are stored at the end.
  private func counts(_ store: EveryStore, _ changes: [(Coin) -> Void]) throws -> [Int] {
    let container = try fixtures.open(store, for: Coin.self)
    for (number, change) in changes.enumerated() {
      let context = ModelContext(container)
      let coin = Coin(number)
      change(coin)
      context.insert(coin)
      try context.save()
    }
    let apart = try ModelContext(container).all(Coin.self).map(\.count)
    let other = ModelContext(try fixtures.open(store, for: Coin.self))
    for (number, change) in changes.enumerated() {
      let coin = Coin(number)
      change(coin)
      other.insert(coin)
    }
    try other.save()
    #expect(try other.all(Coin.self).map(\.count) == apart, "one save has the same result")
    return apart
  }

  /// Foundation composes such strings in quadratic time, and loses marks of them.
  @Test(arguments: EveryStore.withTextKeys)
  func `can have thousands of combining marks in a row`(store: EveryStore) throws {
    let mixed = "x" + String(repeating: "\u{301}\u{323}", count: 1_000)
    let ordered = ["\u{323}", "\u{301}"].reduce("x") {
      $0 + String(repeating: $1, count: 1_000)
    }
    #expect(try counts(store, [{ $0.text = mixed }, { $0.text = ordered }]) == [1])
    let (koronis, more) = ("\u{343}", String(repeating: "\u{343}", count: 100))
    let comma = String(repeating: "\u{313}", count: 100)
    #expect(try counts(store, [{ $0.text = "x" + more }, { $0.text = "x" + comma }]) == [1])
    #expect(
      try counts(store, [{ $0.text = "x" + more }, { $0.text = "x" + more + koronis }]) == [0, 1]
    )
    let context = ModelContext(try fixtures.open(store, for: Coin.self))
    let coin = Coin(7)
    coin.text = mixed
    context.insert(coin)
    try context.save()
    let other = ModelContext(context.container)
    let equal = #Predicate<Coin> { $0.text == ordered }
    #expect(try other.fetch(FetchDescriptor(predicate: equal)).map(\.count) == [7])
    let containing = #Predicate<Coin> { ($0.text ?? "").localizedStandardContains("X") }
    #expect(try other.fetchCount(FetchDescriptor(predicate: containing)) == 1)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `are equal if Swift considers them equal`(store: EveryStore) throws {
    let uuid = UUID()
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    #expect(try counts(store, [{ $0.text = "e\u{301}" }, { $0.text = "\u{E9}" }]) == [1])
    #expect(try counts(store, [{ $0.text = "\u{E9}" }, { $0.text = "e\u{301}" }]) == [1])
    #expect(
      try counts(store, [{ $0.text = "a" }, { $0.text = "A" }, { $0.text = "a " }]) == [0, 1, 2]
    )
    #expect(try counts(store, [{ $0.text = "" }, { $0.text = nil }, { $0.text = "" }]) == [2, 1])
    #expect(try counts(store, [{ $0.number = 0 }, { $0.number = -0.0 }]) == [1])
    // The unique index of a file treats two NaN as equal.
    if store == .memory || store == .json {
      #expect(try counts(store, [{ $0.number = .nan }, { $0.number = .nan }]) == [0, 1])
    }
    #expect(try counts(store, [{ $0.number = 0.1 + 0.2 }, { $0.number = 0.3 }]) == [0, 1])
    #expect(try counts(store, [{ $0.date = date }, { $0.date = date }]) == [1])
    #expect(try counts(store, [{ $0.uuid = uuid }, { $0.uuid = uuid }]) == [1])
    #expect(
      try counts(store, [{ $0.shade = .dark }, { $0.shade = .light }, { $0.shade = .dark }]) == [
        2, 1,
      ]
    )
    #expect(try counts(store, [{ $0.whole = 1 }, { $0.whole = 2 }, { $0.whole = 1 }]) == [2, 1])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `do not apply to nil`(store: EveryStore) throws {
    #expect(try counts(store, [{ _ in }, { _ in }, { $0.text = nil }]) == [0, 1, 2])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `can be references, alone or combined with other properties`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Chair.self, Ticket.self)
    let context = ModelContext(container)
    let (red, blue) = (Room("red"), Room("blue"))
    let chair = Chair(1, in: red)
    for model in [chair, Chair(2, in: red), Chair(1, in: blue)] { context.insert(model) }
    for _ in 0..<2 { context.insert(Chair(7, in: nil)) }
    context.insert(Ticket(red, price: 1))
    context.insert(Ticket(nil, price: 2))
    context.insert(Ticket(nil, price: 3))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Chair>()) == 5)
    context.insert(Chair(1, in: red, colour: "new"))
    context.insert(Ticket(red, price: 4))
    try context.save()
    #expect(chair.colour == "new")
    #expect(red.chairs.count == 2)
    #expect(try ModelContext(container).all(Ticket.self).map(\.price) == [4, 2, 3])
    let other = ModelContext(container)
    let room = Room("red")
    other.insert(Chair(2, in: room, colour: "again"))
    try other.save()
    #expect(
      try ModelContext(container).all(Chair.self).map(\.colour) == ["new", "again", "", "", ""]
    )
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Room>()) == 2)
    try StoredReferences.check(container)
  }

  @Test func `cannot be to-many relationships or computed properties`() {
    let many = #expect(throws: SwiftDataError.self) { try fixtures.open(.memory, for: Shelf.self) }
    #expect(many == .loadIssueModelContainer)
    #expect(many?.entity == "Shelf")
    #expect(many?.property == "books")
    let computed = #expect(throws: SwiftDataError.self) {
      try fixtures.open(.memory, for: Pot.self)
    }
    #expect(computed == .loadIssueModelContainer)
    #expect(computed?.entity == "Pot")
  }
}

@Model
private final class Shelf {
  #Unique<Shelf>([\.books])
  var books: [Volume] = []

  init() {}
}

@Model
private final class Volume {
  var title = ""

  init() {}
}

@Model
private final class Pot {
  #Unique<Pot>([\.size, \.label])
  var size = 0
  var label: String { "\(size)" }

  init() {}
}
