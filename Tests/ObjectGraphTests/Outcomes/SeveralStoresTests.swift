import ComposableStores
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A save to several stores")
struct SeveralStoresTests {
  private struct Fixture {
    let container: ModelContainer
    let outcomes = (first: UnknownOutcomes(), second: UnknownOutcomes())
    let context: ModelContext

    init() throws {
      let schema = Schema([Consignment.self, Lorry.self, Receipt.self])
      let first = MemoryStoreConfiguration("first", schema: Schema([Consignment.self, Lorry.self]))
      let second = MemoryStoreConfiguration("second", schema: Schema([Receipt.self]))
      container = try ModelContainer(
        for: schema,
        configurations: [
          first.faulty(outcomes.first.plan),
          second.faulty(outcomes.second.plan),
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

  @Test(arguments: UnknownOutcomes.Fate.allCases)
  func `with an unknown outcome of its first part stores each part once`(
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try Fixture()
    fixture.context.insert(Consignment("a"))
    fixture.context.insert(Receipt(1))
    fixture.outcomes.first.begin(fate)
    #expect(throws: DataStoreError.outcomeUnknown) { try fixture.context.save() }
    #expect(try fixture.counts() == [fate == .saved ? 1 : 0, 0])
    fixture.outcomes.first.recover()
    try fixture.context.save()
    #expect(try fixture.counts() == [1, 1])
    #expect(!fixture.context.hasChanges)
  }

  @Test(arguments: UnknownOutcomes.Fate.allCases)
  func `with an unknown outcome of its second part has saved the first part`(
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try Fixture()
    let crate = Consignment("a")
    fixture.context.insert(crate)
    fixture.context.insert(Receipt(1))
    fixture.outcomes.second.begin(fate)
    #expect(throws: DataStoreError.outcomeUnknown) { try fixture.context.save() }
    #expect(fixture.context.insertedModelsArray.count == 1)
    #expect(!crate.persistentModelID.isTemporary)
    crate.weight = 4
    fixture.outcomes.second.recover()
    try fixture.context.save()
    #expect(try fixture.counts() == [1, 1])
    #expect(fixture.outcomes.first.saves == 2)
    #expect(!fixture.context.hasChanges)
  }

  @Test func `that the second store refuses has saved the first part alone`() throws {
    let fixture = try Fixture()
    let (crate, receipt) = (Consignment("a"), Receipt(1))
    fixture.context.insert(crate)
    fixture.context.insert(receipt)
    fixture.outcomes.second.plan.fail(.save)
    #expect(throws: DataStoreError.notSaved) { try fixture.context.save() }
    #expect(!crate.hasChanges && !crate.persistentModelID.isTemporary)
    #expect(receipt.persistentModelID.isTemporary)
    #expect(fixture.context.insertedModelsArray.count == 1)
    #expect(try fixture.counts() == [1, 0])
    try fixture.context.save()
    #expect(try fixture.counts() == [1, 1])
  }
}

@Model
final class Receipt {
  var number: Int

  init(_ number: Int) {
    self.number = number
  }
}
