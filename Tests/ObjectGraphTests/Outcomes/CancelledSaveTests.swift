import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A task that is cancelled while it saves")
struct CancelledSaveTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `saves all or nothing, and other tasks can save`(store: EveryStore) async throws {
    let fixture = try IndeterminateFixture(store)
    let container = fixture.container
    let tasks = (0..<8).map { number in
      Task.detached {
        let context = ModelContext(container)
        for _ in 0..<20 { context.insert(Consignment("\(number)")) }
        try context.save()
      }
    }
    for task in tasks { task.cancel() }
    var saved: [String] = []
    for (number, task) in tasks.enumerated() {
      if case .success = await task.result { saved += Array(repeating: "\(number) 1 -", count: 20) }
    }
    #expect(try fixture.stored() == saved.sorted())
    fixture.context.insert(Consignment("after"))
    try fixture.context.save()
    #expect(try fixture.stored().contains("after 1 -"))
  }
}
