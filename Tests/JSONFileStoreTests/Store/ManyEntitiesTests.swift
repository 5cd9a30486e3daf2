import Foundation
import StoreProtocol
import StoreTestSupport
import Testing

@testable import JSONFileStore

@Suite("A document of many entities")
struct ManyEntitiesTests {
  private func schema(_ count: Int, _ hasOneRoot: Bool) -> StoreSchema {
    StoreSchema(
      entities: (0..<count).map { number in
        StoreEntity(
          name: "E\(number)",
          superentity: hasOneRoot && number > 0 ? "E0" : nil,
          root: hasOneRoot ? "E0" : nil,
          properties: [
            StoreProperty(name: "name", kind: .attribute(.string), isOptional: true, isUnique: true)
          ]
        )
      }
    )
  }

  /// The time of what opening and reading does for each entity, without the JSON decoder.
  private func time(_ count: Int, _ hasOneRoot: Bool) throws -> Duration {
    let schema = schema(count, hasOneRoot)
    let source = Array("[]".utf8)
    var tables = schema.entities.map { StoredTable($0, of: "S") }
    for index in tables.indices { tables[index].content = .text(source.indices) }
    return try (0..<3).map { _ in
      var state = StoreState(tables, source: source, nextKey: 1)
      return try ThreadTime.measure {
        let map = TableMap(schema)
        #expect(try map.hierarchy(of: "E1").count == (hasOneRoot ? count : 1))
        try state.checkUniqueRows(map, file: "")
        try state.loadAll(file: "")
        #expect(state.source.isEmpty)
      }
    }
    .min() ?? .zero
  }

  /// With a cost for each pair of entities, 8 times as many take 64 times as long.
  @Test(arguments: [true, false])
  func `opens in linear time`(hasOneRoot: Bool) throws {
    let (few, many) = try (time(500, hasOneRoot), time(4_000, hasOneRoot))
    #expect(many < few * 30, "\(many) instead of \(few) for an eighth of the entities")
  }

  /// The time in which all rows are counted and verified without the schema of a program.
  private func readingTime(_ count: Int) throws -> Duration {
    let fixture = try StoreFixture()
    let entities = schema(count, false)
    let sections = entities.entities.map { "\"\($0.name)\": []" }.joined(separator: ",\n")
    let text = """
      {"format": "OpenSwiftData", "version": 3, "store": "S", "nextKey": 1, "schema":
      """
    var document = Data(text.utf8)
    document += try JSONEncoder().encode(entities)
    document += Data(", \"entities\": {\(sections)}}".utf8)
    try document.write(to: fixture.url)
    let store = try fixture.open(schema: nil)
    return try ThreadTime.measure {
      try store.readingOneState {
        for entity in entities.entities {
          let count = try store.count(StoreQuery(entity: entity.name))
          #expect(count == 0)
        }
      }
      let problems = try store.verify()
      #expect(problems.isEmpty)
    }
  }

  @Test func `is read in linear time, one entity after the other`() throws {
    let (few, many) = try (readingTime(1_000), readingTime(8_000))
    #expect(many < few * 30, "\(many) instead of \(few) for an eighth of the entities")
  }
}
