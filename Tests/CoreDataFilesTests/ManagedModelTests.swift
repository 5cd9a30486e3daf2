import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreDataFiles

@Suite("Reading managed object models")
struct ManagedModelTests {
  @Test func `the model of a bookmarks store is read`() throws {
    let model = try ManagedModel(cache: TestFile.bytes("ddg-Bookmarks_V1.modelcache"))
    let entity = try #require(model.entities.first)
    #expect(model.entities.count == 1 && entity.name == "BookmarkEntity")
    #expect(
      entity.attributes.map { "\($0.name) \($0.type) \($0.isOptional)" } == [
        "isFavorite boolean false", "isFolder boolean false", "title string true",
        "url string true", "uuid string false",
      ]
    )
    #expect(
      entity.relationships.map {
        "\($0.name) \($0.inverse ?? "-") \($0.isToMany) \($0.isOrdered) \($0.deleteRule)"
      } == [
        "children parent true true cascade", "favoriteFolder favorites false false nullify",
        "favorites favoriteFolder true true nullify", "parent children false false nullify",
      ]
    )
  }

  @Test func `unique properties and indexes are read`() throws {
    let model = try ManagedModel(cache: TestFile.bytes("ddg-SyncMetadata_V3.modelcache"))
    #expect(model.entities.map(\.name) == ["SyncFeatureEntity", "SyncableSettingsMetadata"])
    #expect(model.entities.map(\.uniquenessConstraints) == [[["name"]], [["key"]]])
    #expect(model.entities.map(\.indices) == [[["name"]], [["key"]]])
  }

  @Test func `every entity, attribute type and default of a larger model is read`() throws {
    let model = try ManagedModel(cache: TestFile.bytes("plaso-DataUsage.modelcache"))
    #expect(model.versionIdentifiers == ["1"])
    #expect(model.entities.count == 9)
    #expect(model.entities.flatMap(\.attributes).count == 73)
    #expect(model.entities.flatMap(\.relationships).count == 14)
    let usage = try #require(model.entity(named: "LiveUsage"))
    let hinted = try #require(usage.relationships.first { $0.name == "hintedBy" })
    #expect(hinted.isTransient && hinted.inverse == "hintLiveUsage")
    let peer = try #require(model.entity(named: "Peer"))
    #expect(peer.attributes.first { $0.name == "rfu1" }?.defaultValue == .real(0))
    let shooting = try #require(model.entity(named: "TshootingData"))
    let providers = try #require(shooting.attributes.first { $0.name == "providers" })
    #expect(providers.type == .transformable)
    #expect(providers.transformerName == "NSSecureUnarchiveFromData")
  }

  @Test func `a store's metadata has version identifiers and entity hashes`() throws {
    let metadata = try StoreMetadata(TestFile.bytes("plaso-DataUsage.metadata"))
    #expect(metadata.versionIdentifiers == ["1"])
    #expect(metadata.frameworkVersion == 1145)
    #expect(metadata.entityHashes.count == 9)
    #expect(metadata.entityHashes["Peer"]?.count == 32)
  }

  @Test(arguments: [
    ModelWriter.Style(), ModelWriter.Style(hasKnownKeys: false, hasProxies: true),
  ])
  func `a written model is read back with all its properties`(_ style: ModelWriter.Style) throws {
    let model = SampleModel.everything
    #expect(try ManagedModel(archive: ModelWriter.archive(model, style: style)) == model)
    #expect(try ManagedModel(cache: deflated(ModelWriter.archive(model, style: style))) == model)
  }

  @Test func `declarations that an entity repeats from its superentity are read once`() throws {
    let model = SampleModel.everything
    var repeating = model
    let index = try #require(model.entities.firstIndex { $0.superentity == "Person" })
    let person = try #require(model.entity(named: "Person"))
    repeating.entities[index].attributes += person.attributes
    repeating.entities[index].relationships += person.relationships
    repeating.entities[index].uniquenessConstraints += person.uniquenessConstraints
    repeating.entities[index].indices += person.indices
    #expect(try ManagedModel(archive: ModelWriter.archive(repeating)) == model)
  }

  @Test func `an entity that inherits from itself is refused`() {
    var first = ManagedModel.Entity(name: "First")
    var second = ManagedModel.Entity(name: "Second")
    first.superentity = "Second"
    second.superentity = "First"
    let bytes = ModelWriter.archive(ManagedModel(entities: [first, second]))
    let error = #expect(throws: FormatError.self) { try ManagedModel(archive: bytes) }
    #expect(error?.reason.contains("inherits from itself") == true)
  }

  @Test func `two properties with the same name are refused`() {
    var entity = ManagedModel.Entity(name: "Trip")
    entity.attributes = [.init(name: "name", type: .string), .init(name: "name", type: .date)]
    let bytes = ModelWriter.archive(ManagedModel(entities: [entity]))
    #expect(throws: FormatError.self) { try ManagedModel(archive: bytes) }
  }

  @Test func `an inverse that is missing at its destination is dropped`() throws {
    var entity = ManagedModel.Entity(name: "Trip")
    var relationship = ManagedModel.Relationship(name: "next", destination: "Trip")
    relationship.inverse = "previous"
    relationship.maximumCount = 1
    entity.relationships = [relationship]
    let model = try ManagedModel(archive: ModelWriter.archive(ManagedModel(entities: [entity])))
    #expect(model.entities[0].relationships[0].inverse == nil)
  }

  @Test func `more properties than the limit are refused`() {
    var limits = ReadingLimits()
    limits.properties = 3
    let bytes = ModelWriter.archive(SampleModel.everything)
    #expect(throws: FormatError.self) { try ManagedModel(archive: bytes, limits: limits) }
    limits = ReadingLimits()
    limits.entities = 1
    #expect(throws: FormatError.self) { try ManagedModel(archive: bytes, limits: limits) }
  }
}
