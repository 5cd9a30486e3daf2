import Foundation
import SwiftData
import Testing

@testable import Backyard

@MainActor
struct BackyardTests {
  private static var containers: [() throws -> ModelContainer] {
    let memory = { try BackyardStore.container(inMemory: true) }
    #if canImport(OpenSwiftData)
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      return [
        memory, { try BackyardStore.container(store: "sqlite:\(folder.path)-backyard.db") },
        { try BackyardStore.container(store: "json:\(folder.path)-backyard.json") },
      ]
    #else
      return [memory]
    #endif
  }

  private func check(_ container: ModelContainer) throws {
    let yard = Backyard(name: "Home")
    yard.season = .summer(days: 92)
    let (oak, fern) = (Plant(species: "Oak"), Plant(species: "Fern"))
    fern.care.notes = ["shade"]
    yard.leadingPlants = [oak, fern]
    yard.trailingPlants = [fern]
    yard.observations = [Observation(bird: "Wren", date: .distantPast)]
    let context = ModelContext(container)
    context.insert(yard)
    try BackyardStore.save(context)

    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Backyard>()).first)
    #expect(found.season == .summer(days: 92))
    #expect(found.plants.map(\.species) == ["Oak", "Fern", "Fern"])
    #expect(found.observations.map(\.bird) == ["Wren"])
    let plants = try other.fetch(FetchDescriptor<Plant>()).sorted()
    #expect(plants.map(\.care.notes) == [["shade"], []])
    #expect(plants.allSatisfy { $0.backyard === found })

    found.leadingPlants = []
    #expect(plants.map { $0.backyard?.name } == ["Home", nil])
    found.trailingPlants = []
    #expect(plants.allSatisfy { $0.backyard == nil })
    try other.save()
    let left = try ModelContext(container).fetch(
      FetchDescriptor<Plant>(predicate: #Predicate { $0.backyard == nil })
    )
    #expect(left.count == 2)
  }

  @Test func `every store returns a saved yard with its values and relationships`() throws {
    for container in Self.containers { try check(container()) }
  }

  @Test func `another actor can read objects of main-actor models`() async throws {
    let container = try BackyardStore.container(inMemory: true)
    let context = ModelContext(container)
    let plant = Plant(species: "Ivy")
    plant.care.litersAWeek = 3
    context.insert(plant)
    try context.save()
    // Its values are decoded elsewhere, by conformances that are isolated to the main actor.
    let copies = try await Task.detached {
      let context = ModelContext(container)
      context.autosaveEnabled = false
      return try context.fetch(FetchDescriptor<Plant>()).map { try $0.snapshot() }
    }.value
    #expect(copies.map(\.persistentModelID) == [plant.persistentModelID])
    #expect(copies.map(\.species) == ["Ivy"] && copies.map(\.care.litersAWeek) == [3])
  }
}
