import ComposableStores
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A save to several stores")
struct SeveralStoresTests {
  private struct Place {
    let container: ModelContainer
    let doubts = (first: Doubts(), second: Doubts())
    let context: ModelContext

    init() throws {
      let schema = Schema([Consignment.self, Lorry.self, Receipt.self])
      let first = MemoryStoreConfiguration("first", schema: Schema([Consignment.self, Lorry.self]))
      let second = MemoryStoreConfiguration("second", schema: Schema([Receipt.self]))
      container = try ModelContainer(
        for: schema,
        configurations: [
          first.faulty(doubts.first.plan),
          second.faulty(doubts.second.plan),
        ]
      )
      context = ModelContext(container)
      context.autosaveEnabled = false
    }

    func counts() throws -> [Int] {
      let context = ModelContext(container)
      return [
        try context.fetchCount(FetchDescriptor<Consignment>()),
        try context.fetchCount(FetchDescriptor<Receipt>()),
      ]
    }
  }

  @Test(arguments: Doubts.Fate.allCases)
  func `with an unknown outcome of its first part stores each part once`(fate: Doubts.Fate) throws {
    let place = try Place()
    place.context.insert(Consignment("a"))
    place.context.insert(Receipt(1))
    place.doubts.first.begin(fate)
    #expect(throws: DataStoreError.outcomeUnknown) { try place.context.save() }
    #expect(try place.counts() == [fate == .saved ? 1 : 0, 0])
    place.doubts.first.recover()
    try place.context.save()
    #expect(try place.counts() == [1, 1])
    #expect(!place.context.hasChanges)
  }

  @Test(arguments: Doubts.Fate.allCases)
  func `with an unknown outcome of its second part has saved the first part`(
    fate: Doubts.Fate
  ) throws {
    let place = try Place()
    let crate = Consignment("a")
    place.context.insert(crate)
    place.context.insert(Receipt(1))
    place.doubts.second.begin(fate)
    #expect(throws: DataStoreError.outcomeUnknown) { try place.context.save() }
    #expect(place.context.insertedModelsArray.count == 1)
    #expect(!crate.persistentModelID.isTemporary)
    crate.weight = 4
    place.doubts.second.recover()
    try place.context.save()
    #expect(try place.counts() == [1, 1])
    #expect(place.doubts.first.saves == 2)
    #expect(!place.context.hasChanges)
  }
}

@Model
final class Receipt {
  var number: Int

  init(_ number: Int) {
    self.number = number
  }
}
