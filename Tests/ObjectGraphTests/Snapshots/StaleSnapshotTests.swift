import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A snapshot with a version")
struct StaleSnapshotTests {
  /// A stored voyage, and a snapshot of it that another save has made stale.
  private func stale(
    _ store: EveryStore
  ) throws -> (fixture: ContainerFixture, copy: ModelSnapshot<Voyage>) {
    let fixture = try ContainerFixture(forVoyages: store)
    var copy = try saveVoyage(in: fixture.context()).snapshot()
    #expect(copy.version != nil)
    let other = try fixture.context()
    try #require(try other.all(Voyage.self).first).days = 7
    try other.save()
    copy.log = ["mine"]
    return (fixture, copy)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is refused under the policy error if it is stale, and changes nothing`(
    store: EveryStore
  ) throws {
    let (fixture, copy) = try stale(store)
    let context = try fixture.context()
    context.mergePolicy = .error
    let error = #expect(throws: DataStoreError.self) { try context.upsert(copy) }
    #expect(error == .conflict)
    #expect(error?.mergeConflicts.first?[\Voyage.days]?.theirs == 7)
    #expect(!context.hasChanges)
    let voyage = try #require(try context.all(Voyage.self).first)
    #expect(throws: DataStoreError.conflict) { try context.apply(copy, to: voyage) }
    // With the current version there is no conflict.
    var current = copy
    current.version = try voyage.snapshot().version
    try context.upsert(current)
    try context.save()
    let back = try #require(try fixture.context().all(Voyage.self).first)
    #expect(back.log == ["mine"] && back.days == 3)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is refused under the policy error if its object is deleted`(
    store: EveryStore
  ) throws {
    let (fixture, copy) = try stale(store)
    let other = try fixture.context()
    other.delete(try #require(try other.all(Voyage.self).first))
    try other.save()
    let context = try fixture.context()
    context.mergePolicy = .error
    let error = #expect(throws: DataStoreError.self) { try context.upsert(copy) }
    #expect(error?.mergeConflicts.first?.kind == .deletedThere)
    #expect(!context.hasChanges)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is merged by other policies`(store: EveryStore) throws {
    let (fixture, copy) = try stale(store)
    let context = try fixture.context()
    context.mergePolicy = .storeWins
    let voyage = try context.upsert(copy)
    #expect(voyage.days == 7 && voyage.log == ["out", ""] && !context.hasChanges)
    context.mergePolicy = .resolve { conflict in
      #expect(conflict[\Voyage.days]?.mine == 3 && conflict[\Voyage.days]?.theirs == 7)
      return try .theirs.keeping(.mine, of: \Voyage.log)
    }
    try context.upsert(copy)
    #expect(voyage.days == 7 && voyage.log == ["mine"])
    context.rollback()
    context.mergePolicy = .contextWins
    try context.upsert(copy)
    #expect(voyage.days == 3 && voyage.log == ["mine"])
  }

  @Test func `encodes the version only with identifiers`() throws {
    let (_, copy) = try stale(.memory)
    let encoder = JSONEncoder()
    let decoder = JSONDecoder()
    #expect(!String(decoding: try encoder.encode(copy), as: UTF8.self).contains("$version"))
    encoder.userInfo[.modelIdentifiers] = true
    decoder.userInfo[.modelIdentifiers] = true
    let back = try decoder.decode(ModelSnapshot<Voyage>.self, from: encoder.encode(copy))
    #expect(back.version == copy.version)
    var later = copy
    later.version = 99
    #expect(later == copy)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `can be partial, and leaves absent values unchanged`(
    store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    let context = try fixture.context()
    let voyage = try saveVoyage(in: context)
    let body = Data(#"{"days": null, "rating": "rough"}"#.utf8)
    let decoder = JSONDecoder()
    let error = #expect(throws: DataStoreError.self) {
      try decoder.decode(ModelSnapshot<Voyage>.self, from: body)
    }
    #expect(error?.property == "name")
    decoder.userInfo[.partialSnapshots] = true
    let patch = try decoder.decode(ModelSnapshot<Voyage>.self, from: body)
    try context.apply(patch, to: voyage)
    #expect(voyage.days == nil && voyage.name == "North" && voyage.legs.count == 2)
    try context.save()
    // The object must have the same context, and the snapshot must not have another identifier.
    let other = try fixture.context()
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.apply(patch, to: voyage) }
    var named = patch
    named.persistentModelID = try #require(try context.all(Leg.self).first).persistentModelID
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.apply(named, to: voyage)
    }
    // A new object requires values that the snapshot lacks.
    let missing = #expect(throws: SwiftDataError.self) { try context.insert(patch) }
    #expect(missing?.property == "name")
  }
}
