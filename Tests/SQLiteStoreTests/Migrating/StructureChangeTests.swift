import Foundation
import StoreProtocol
import Testing

@testable import SQLiteStore

@Suite("A change of the schema without code")
struct StructureChangeTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  private static func value(
    _ name: String,
    _ type: AttributeType = .string,
    was: String? = nil,
    isOptional: Bool = true,
    default defaultValue: StoreValue? = nil,
    options: [String] = []
  ) -> StoreProperty {
    StoreProperty(
      name: name,
      originalName: was,
      kind: .attribute(type),
      isOptional: isOptional,
      options: options,
      defaultValue: defaultValue
    )
  }

  private func entity(
    _ name: String,
    _ properties: [StoreProperty],
    of: String? = nil
  ) -> StoreEntity {
    StoreEntity(name: name, superentity: of, root: of, properties: properties)
  }

  /// Stores rows under one schema, opens them with another, and looks at what is there.
  @discardableResult
  private func change(
    _ old: [StoreEntity],
    _ rows: (SQLiteStore) throws -> Void,
    to new: [StoreEntity]
  ) throws -> SQLiteStore {
    do { try rows(try SQLiteStore.inFile(path, StoreSchema(entities: old))) }
    _ = try SQLiteStore.inFile(path, StoreSchema(entities: new))
    let store = try SQLiteStore.inFile(path, StoreSchema(entities: new))
    #expect(try store.verify() == [])
    return store
  }

  @Test func `keeps indexes of words, and tables of other programs`() throws {
    let old = entity("Note", [Self.value("text", options: ["fullText"]), Self.value("x")])
    let new = entity("Note", [Self.value("body", was: "text", options: ["fullText"])])
    let store = try change(
      [old],
      {
        try $0.insert([.new(old, ["text": .string("hello world")])])
        try $0.database.write { try $0.execute("CREATE TABLE \"_mine\"(a)") }
      },
      to: [new]
    )
    let query = StoreQuery(
      entity: "Note",
      filter: .searches(.property(.element(0), "body"), TextSearch("world"))
    )
    #expect(try store.count(query) == 1)
    let rows = try store.database.read { try $0.integer("SELECT count(*) FROM \"_mine\"") }
    #expect(rows == 0)
  }
}
