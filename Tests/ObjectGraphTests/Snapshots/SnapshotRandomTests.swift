import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Snapshots of random graphs")
struct SnapshotRandomTests {
  private func fill(_ context: ModelContext, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let flags = (0..<6).map { Flag("flag \($0)") }
    for number in 0..<5 {
      let captain = Captain(HardValues.strings[number], badge: .random(in: -9...9, using: &random))
      context.insert(captain)
      for index in 0..<Int.random(in: 0...4, using: &random) {
        let voyage =
          Bool.random(using: &random)
          ? Voyage("\(number).\(index)") : CargoVoyage("\(number).\(index)", tons: 0.1)
        voyage.days = Bool.random(using: &random) ? nil : .random(in: 0...99, using: &random)
        voyage.rating = Bool.random(using: &random) ? .calm : .rough
        voyage.harbour = Bool.random(using: &random) ? nil : Harbour(city: "x", opened: .now)
        voyage.legs = (0..<Int.random(in: 0...5, using: &random)).map { Leg("\($0)") }
        voyage.flags = flags.shuffled(using: &random).suffix(.random(in: 0...4, using: &random))
        voyage.captain = captain
      }
      for index in 0..<Int.random(in: 0...3, using: &random) {
        context.insert(Chest("\(index)", owner: captain))
      }
    }
    try context.save()
  }

  private func copies(_ context: ModelContext) throws -> [ModelSnapshot<Captain>] {
    try context.all(Captain.self).map {
      try $0.snapshot(including: \.voyages, \Voyage.legs, \Voyage.flags, \Captain.chests)
    }
  }

  private func json(_ copies: [ModelSnapshot<Captain>]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(copies)
  }

  @Test(arguments: EveryStore.withTextKeys, [1, 2, 3] as [UInt64])
  func `are equal after JSON, in the same store and in another`(
    store: EveryStore,
    seed: UInt64
  ) throws {
    let (fixture, other) = (
      try ContainerFixture(forVoyages: store), try ContainerFixture(forVoyages: store)
    )
    try fill(fixture.context(), seed: seed)
    let context = try fixture.context()
    let taken = try copies(context)
    let data = try json(taken)
    // Nothing differs, so nothing changes.
    try context.upsert(taken)
    #expect(!context.hasChanges)
    let elsewhere = try other.context()
    try elsewhere.upsert(JSONDecoder().decode([ModelSnapshot<Captain>].self, from: data))
    try elsewhere.save()
    #expect(try json(copies(other.context())) == data)
    // Snapshots of one store create objects in another store, which are then found there.
    let third = try ContainerFixture(forVoyages: .memory).context()
    try third.upsert(taken)
    try third.save()
    #expect(try json(copies(third)) == data)
  }
}
