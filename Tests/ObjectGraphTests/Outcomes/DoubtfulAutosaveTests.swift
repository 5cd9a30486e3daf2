import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("An autosave with an unknown outcome", .timeLimit(.minutes(30)))
struct DoubtfulAutosaveTests {
  @MainActor
  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `is reported, and retried with later changes`(
    store: EveryStore,
    fate: Doubts.Fate
  ) async throws {
    let place = try DoubtfulPlace(store)
    let context = place.container.mainContext
    var codes: [DataStoreError.Code?] = []
    context.onAutosaveFailure = { codes.append(($0 as? DataStoreError)?.code) }
    let failed = Awaited(ModelContext.autosaveFailed, of: context)
    place.doubts.begin(fate)
    let crate = Consignment("a")
    context.insert(crate)
    await failed.next()
    #expect(codes == [.outcomeUnknown])
    #expect(context.hasChanges)
    crate.weight = 2
    await failed.next()
    #expect(codes == [.outcomeUnknown, .outcomeUnknown])
    place.doubts.recover()
    let saved = Awaited(ModelContext.didSave, of: context)
    crate.weight = 3
    await saved.next()
    #expect(!context.hasChanges)
    #expect(try place.stored() == ["a 3 -"])
  }
}
