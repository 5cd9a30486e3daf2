import Foundation
import ModelLayer
import StoreTestSupport
import Testing

@Suite("A store without row versions")
struct UnversionedStoreTests {
  private func makeContext(in folder: TemporaryFolder) throws -> ModelContext {
    let configuration = ArchivalStore.Configuration(fileURL: folder.file("store.json"))
    return ModelContext(
      try ModelContainer(for: Trip.self, PersonalTrip.self, configurations: configuration)
    )
  }

  @Test(arguments: ["contextWins", "storeWins", "error", "resolve"])
  func `refuses merge policies that require versions, and stores nothing`(_ name: String) throws {
    let policies: [String: MergePolicy] = [
      "contextWins": .contextWins, "storeWins": .storeWins, "error": .error,
      "resolve": .resolve { _ in .mine },
    ]
    let folder = try TemporaryFolder()
    let context = try makeContext(in: folder)
    context.insert(Trip(name: "Alps"))
    context.mergePolicy = try #require(policies[name])
    try context.save()
    let trip = try #require(try context.all(Trip.self).first)
    trip.name = "Andes"
    let error = try #require(throws: DataStoreError.self) { try context.save() }
    #expect(error == .unsupportedFeature && error.entity == "Trip")
    #expect(trip.hasChanges)
    context.mergePolicy = .mergeByProperty
    try context.save()
    #expect(try ModelContext(context.container).all(Trip.self).map(\.name) == ["Andes"])
  }

  @Test func `reports objects that another context deleted`() throws {
    let folder = try TemporaryFolder()
    let here = try makeContext(in: folder)
    here.insert(Trip(name: "Alps"))
    try here.save()
    let there = ModelContext(here.container)
    let mine = try #require(try here.all(Trip.self).first)
    there.delete(try #require(try there.all(Trip.self).first))
    try there.save()
    mine.name = "Andes"
    let error = try #require(throws: DataStoreError.self) { try here.save() }
    #expect(error == .conflict && error.mergeConflicts.map(\.kind) == [.deletedThere])
    here.rollback()
    #expect(try here.all(Trip.self).isEmpty && mine.lifeCycle == .vanished)
  }
}
