import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("An autosave with an unknown outcome", .timeLimit(.minutes(30)))
struct IndeterminateAutosaveTests {
  @MainActor
  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `is reported, and retried with later changes`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) async throws {
    let fixture = try IndeterminateFixture(store)
    let context = fixture.container.mainContext
    var codes: [DataStoreError?] = []
    context.onAutosaveFailure = { codes.append($0 as? DataStoreError) }
    let failed = Awaited(ModelContext.autosaveFailed, of: context)
    fixture.outcomes.begin(fate)
    let crate = Consignment("a")
    context.insert(crate)
    await failed.next()
    #expect(codes == [.outcomeUnknown])
    #expect(context.hasChanges)
    crate.weight = 2
    await failed.next()
    #expect(codes == [.outcomeUnknown, .outcomeUnknown])
    fixture.outcomes.recover()
    let saved = Awaited(ModelContext.didSave, of: context)
    crate.weight = 3
    await saved.next()
    #expect(!context.hasChanges)
    #expect(try fixture.stored() == ["a 3 -"])
  }
}
