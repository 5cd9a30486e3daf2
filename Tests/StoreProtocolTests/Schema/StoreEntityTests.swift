import Foundation
import StoreProtocol
import Testing

@Suite("Entities")
struct StoreEntityTests {
  private static func attribute(_ name: String, _ options: [String] = []) -> StoreProperty {
    StoreProperty(name: name, kind: .attribute(.string), isOptional: true, options: options)
  }

  @Test func `leave out ephemeral attributes, with the lists that name them`() {
    let entity = StoreEntity(
      name: "Item",
      properties: [
        Self.attribute("mood", ["ephemeral"]), Self.attribute("name"), Self.attribute("note"),
      ],
      uniquenessConstraints: [["mood"], ["name"], ["name", "mood"]],
      indices: [["mood", "note"], ["note"]]
    )
    #expect(entity.properties.map(\.name) == ["name", "note"])
    #expect(entity.indexByName == ["name": 0, "note": 1])
    #expect(entity.propertyNames.names == ["name", "note"])
    #expect(entity.uniquenessConstraints == [["name"]])
    #expect(entity.indices == [["note"]])
  }

  @Test func `of a stored schema with ephemeral attributes equal those without`() throws {
    func text(_ properties: String, _ lists: String) -> Data {
      Data(#"{"name":"Item","properties":[\#(properties)],"indices":[\#(lists)]}"#.utf8)
    }
    func property(_ name: String, _ options: String) -> String {
      #"{"name":"\#(name)","originalName":"\#(name)","isOptional":false,"isUnique":false,"#
        + #""kind":{"attribute":{"_0":"string"}},"options":[\#(options)]}"#
    }
    let name = property("name", "")
    let mood = property("mood", #""ephemeral""#)
    func entity(_ text: Data) throws -> StoreEntity {
      try JSONDecoder().decode(StoreEntity.Coded.self, from: text).entity
    }
    let earlier = try entity(text("\(mood),\(name)", #"["name"],["mood"]"#))
    let current = try entity(text(name, #"["name"]"#))
    #expect(earlier == current)
    let schemas = [earlier, current].map { StoreSchema(entities: [$0]) }
    #expect(schemas[0].fingerprint == schemas[1].fingerprint)
  }
}
