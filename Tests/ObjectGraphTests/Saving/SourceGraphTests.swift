import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Saves of graphs by direct writing")
struct SourceGraphTests {
  /// A program that creates, relates, moves and deletes objects at random, the same on each store.
  private struct Play {
    let context: ModelContext
    var random: SeededGenerator
    var crews: [Crew] = []
    var sailors: [Oarsman] = []
    private var count = 0

    init(_ context: ModelContext, seed: UInt64) {
      self.context = context
      random = SeededGenerator(seed: seed)
    }

    private mutating func name() -> String {
      count += 1
      return "n\(count)"
    }

    private mutating func sailor() -> Oarsman {
      let name = name()
      let made = Bool.random(using: &random) ? Oarsman(name) : Coxswain(name, voice: count)
      sailors.append(made)
      return made
    }

    /// Makes several random changes.
    mutating func change() {
      for _ in 0..<Int.random(in: 1...25, using: &random) { changeOnce() }
    }

    private mutating func changeOnce() {
      let crew = crews.randomElement(using: &random)
      let one = sailors.randomElement(using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        let made = Crew(name())
        made.sailors = (0..<Int.random(in: 0...4, using: &random)).map { _ in sailor() }
        crews.append(made)
        context.insert(made)
      case 1:
        let made = sailor()
        made.crew = crew
        context.insert(made)
      case 2: crew?.sailors.shuffle(using: &random)
      case 3: crew?.sailors.insert(sailor(), at: 0)
      case 4: crew?.sailors.append(sailor())
      case 5: one?.crew = crew
      case 6: one?.crew = nil
      case 7: if let one { one.mentor = sailors.randomElement(using: &random) }
      case 8: if let one { one.skiff = one.skiff == nil ? Skiff(name()) : nil }
      case 9: one?.name += "!"
      case 10:
        guard let one, Int.random(in: 0..<3, using: &random) == 0 else { return }
        sailors.removeAll { $0 === one }
        if one.modelContext == nil { context.insert(one) }
        context.delete(one)
      default:
        guard let crew, Int.random(in: 0..<4, using: &random) == 0 else { return }
        crews.removeAll { $0 === crew }
        context.delete(crew)
      }
      for one in sailors where one.modelContext == nil { context.insert(one) }
    }

    /// Describes the objects, with relationships in their order.
    func described() -> [String] {
      crews.map { "\($0.name): \($0.sailors.map(\.name))" }
        + sailors.map { one in
          "\(one.name) in \(one.crew?.name ?? "-"), of \(one.mentor?.name ?? "-"), "
            + "\(one.pupils.map(\.name)), on \(one.skiff?.name ?? "-")"
        }
    }

    /// Describes the objects as another context reads them.
    func read(in other: ModelContext) -> [String] {
      var copy = self
      copy.crews = crews.compactMap(other.existing)
      copy.sailors = sailors.compactMap(other.existing)
      return copy.described()
    }
  }

  @Test(arguments: 0..<24 as Range<UInt64>)
  func `leave the same rows and history as saves of records`(seed: UInt64) throws {
    let direct = try SourceFixture()
    let plain = try SourceFixture(takesRecords: true)
    var (one, other) = (Play(direct.context, seed: seed), Play(plain.context, seed: seed))
    for _ in 0..<8 {
      one.change()
      other.change()
      try direct.context.save()
      try plain.context.save()
      #expect(one.described() == other.described())
      #expect(one.read(in: ModelContext(direct.container)) == one.described())
      for entity in ["Crew", "Oarsman", "Coxswain", "Skiff"] {
        #expect(try direct.rows(entity) == plain.rows(entity))
      }
    }
    #expect(direct.log.inserted > 0)
    #expect(plain.log.inserted == 0)
    #expect(plain.log.updated == 0)
    #expect(try direct.history() == plain.history())
  }

  @Test func `insert new related objects, and write their order`() throws {
    let fixture = try SourceFixture()
    let crew = Crew("c")
    crew.sailors = [Oarsman("a"), Oarsman("b")]
    fixture.context.insert(crew)
    try fixture.context.save()
    #expect(fixture.log.inserted == 3)
    crew.sailors.insert(Coxswain("first", voice: 1), at: 0)
    try fixture.context.save()
    #expect(fixture.log.inserted == 4)
    #expect(fixture.log.updated == 1)
    let read = try ModelContext(fixture.container).fetch(FetchDescriptor<Crew>())
    #expect(read.map { $0.sailors.map(\.name) } == [["first", "a", "b"]])
  }

  @Test(arguments: SourceLog.Fate.allCases)
  func `with an unknown outcome are stored once, with their relationships`(
    fate: SourceLog.Fate
  ) throws {
    let fixture = try SourceFixture()
    let crew = Crew("c")
    crew.sailors = [Oarsman("a"), Coxswain("b", voice: 2), Oarsman("c")]
    crew.sailors[2].mentor = crew.sailors[0]
    fixture.context.insert(crew)
    crew.sailors.reverse()
    fixture.log.begin(fate)
    #expect(throws: DataStoreError.outcomeUnknown) { try fixture.context.save() }
    crew.sailors[0].skiff = Skiff("late")
    fixture.log.recover()
    try fixture.context.save()
    let read = try ModelContext(fixture.container).fetch(FetchDescriptor<Crew>())
    #expect(read.map { $0.sailors.map(\.name) } == [["c", "b", "a"]])
    #expect(read.first?.sailors.first?.mentor?.name == "a")
    #expect(read.first?.sailors.first?.skiff?.name == "late")
    #expect(try ModelContext(fixture.container).fetchCount(FetchDescriptor<Oarsman>()) == 3)
  }

  @Test func `clear a reference to an object that is deleted before the save`() throws {
    let fixture = try SourceFixture()
    let sailor = Oarsman("a")
    fixture.context.insert(sailor)
    let crew = Crew("gone")
    fixture.context.insert(crew)
    sailor.crew = crew
    fixture.context.delete(crew)
    try fixture.context.save()
    let read = try ModelContext(fixture.container).fetch(FetchDescriptor<Oarsman>())
    #expect(read.map(\.name) == ["a"])
    #expect(read.first?.crew == nil)
  }
}

extension ModelContext {
  /// Returns this context's object for an object of another context.
  fileprivate func existing<T: PersistentModel>(_ model: T) -> T? {
    self.model(for: model.persistentModelID) as? T
  }
}
