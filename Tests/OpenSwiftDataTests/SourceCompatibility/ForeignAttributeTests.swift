import OpenSwiftData
import Testing

@Suite("Declarations of real programs")
struct ForeignAttributeTests {
  @Test(arguments: CompatibleKind.allCases)
  func `properties with attributes of other libraries are stored`(kind: CompatibleKind) throws {
    let store = try CompatibleStore(kind, for: Message.self)
    let message = Message(2, "hello")
    message.hero.strength = 9
    message.weather = .rain(hours: 3)
    message.second = Character(strength: 4)
    try store.save(message, Message(1, "first"))
    let found = try store.all(Message.self).sorted()
    #expect(found.map(\.text) == ["first", "hello"])
    #expect(found.map(\.hero.strength) == [1, 9])
    #expect(found.map(\.weather) == [.fair, .rain(hours: 3)])
    #expect(found.map(\.second) == [nil, Character(strength: 4)])
  }

  @Test(arguments: CompatibleKind.allCases)
  func `a required value that is encoded as null is found`(kind: CompatibleKind) throws {
    let store = try CompatibleStore(kind, for: Message.self)
    let (one, two) = (Message(1, ""), Message(2, ""))
    two.payload = .number(7)
    try store.save(one, two)
    #expect(try store.all(Message.self).sorted().map(\.payload) == [.null, .number(7)])
    let context = ModelContext(try store.open())
    let (null, both) = (JSONValue.null, [JSONValue.null, .number(7)])
    let found = { (predicate: Predicate<Message>) in
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted()
    }
    #expect(try found(#Predicate { $0.payload == null }) == [1])
    #expect(try found(#Predicate { $0.payload != null }) == [2])
    #expect(try found(#Predicate { both.contains($0.payload) }) == [1, 2])
    #expect(try found(#Predicate { !both.contains($0.payload) }) == [])
  }

  private func areEqual<E: Equatable>(_ lhs: E, _ rhs: E) -> Bool { lhs == rhs }

  private func areEqualModels<M: PersistentModel>(_ lhs: M, _ rhs: M) -> Bool { lhs == rhs }

  @Test func `a model is equal only to itself`() {
    let (one, two) = (Message(1, ""), Message(1, ""))
    #expect(one == one && one != two)
    #expect(areEqual(one, one) && !areEqual(one, two))
    #expect(areEqualModels(one, one) && !areEqualModels(one, two))
    #expect([one, two].firstIndex(of: two) == 1)
    #expect(Set([one, two]).count == 2)
  }

  @Test func `a model has the operators that its program declares`() {
    #expect(Coin(1) == Coin(1) && Coin(1) != Coin(2))
    #expect(areEqual(Coin(1), Coin(1)) && areEqualModels(Coin(1), Coin(1)))
    #expect(Card(1) == Card(1) && Card(1) < Card(2))
    #expect(areEqual(Card(1), Card(1)) && areEqualModels(Card(1), Card(1)))
    #expect(!areEqual(Card(1), Card(2)))
  }
}
