import Testing

@testable import ModelLayer

@Suite("A context that only reads")
struct ReadingContextTests {
  @Test func `makes none of the parts that change or save objects`() throws {
    let container = try makeContainer()
    let writer = ModelContext(container)
    writer.insert(Trip(name: "Alps"))
    try writer.save()

    let context = ModelContext(container)
    let state = context.state
    #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Alps"])
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(state.existingSaver == nil)
    #expect(state.existingAutosave == nil)
    #expect(state.loader.existingFaults == nil)
    #expect(state.bulkChanges.isEmpty)
  }

  @Test func `makes the parts for saving with the first save`() throws {
    let context = ModelContext(try makeContainer())
    let trip = Trip(name: "Alps")
    context.insert(trip)
    #expect(context.state.existingSaver == nil)
    try context.save()
    let saver = try #require(context.state.existingSaver)
    #expect(!saver.isSaving)
    trip.name = "Fjords"
    try context.save()
    #expect(context.state.existingSaver === saver)
    #expect(context.state.existingAutosave == nil)
  }
}
