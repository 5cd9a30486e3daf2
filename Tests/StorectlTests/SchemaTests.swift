import OpenSwiftData
import Testing

@testable import StoreTool

@Suite("storectl schema show")
struct SchemaTests {
  @Test func `a Mermaid diagram has classes, attributes and both ends of relationships`()
    async throws
  {
    let library = try Library("json")
    let run = await Run.storectl("schema", "show", library.url, "--format", "mermaid")
    #expect(run.lines[0] == "classDiagram")
    #expect(run.lines.contains("  class E1[\"Author\"] {"))
    #expect(run.lines.contains("    date? born"))
    #expect(run.lines.contains("  E1 \"0..1\" --> \"*\" E2 : books / author"))
    #expect(run.lines.contains("  E2 \"*\" --> \"*\" E4 : tags / books"))
    #expect(run.lines.contains("  E2 <|-- E3"))
    #expect(run.lines.filter { $0.contains("account") }.count == 1)
  }

  @Test func `a Graphviz graph has entities, inheritance and relationships`() async throws {
    let library = try Library("sqlite")
    let run = await Run.storectl("schema", "show", library.url, "--format", "graphviz")
    #expect(run.output.hasPrefix("digraph schema {\n") && run.output.hasSuffix("}\n"))
    #expect(run.output.contains("<b>Book</b>"))
    #expect(run.output.contains("E3 -> E2 [arrowhead=empty];"))
    #expect(
      run.output.contains("[label=\"books / author\", taillabel=\"0..1\", headlabel=\"*\"];")
    )
  }

  @Test func `names with special characters are escaped in diagrams`() {
    let name = "a\"<b>&\\}\n"
    let entity = StoreEntity(
      name: name,
      properties: [StoreProperty(name: name, kind: .attribute(.string))]
    )
    let schema = StoreSchema(entities: [entity])
    #expect(SchemaText.graphviz(schema).contains("<b>a&quot;&lt;b&gt;&amp;\\}\\n</b>"))
    #expect(SchemaText.mermaid(schema).contains("[\"a__b_&\\_\\n\"] {"))
  }

  @Test func `entities are to the right of those that refer to them`() throws {
    let toMany = StoreProperty.Kind.toMany(StoreRelationship(destination: "B"))
    let back = StoreProperty.Kind.toMany(StoreRelationship(destination: "A"))
    let schema = StoreSchema(entities: [
      StoreEntity(name: "A", properties: [StoreProperty(name: "bs", kind: toMany)]),
      StoreEntity(name: "B", properties: [StoreProperty(name: "as", kind: back)]),
      StoreEntity(name: "C", properties: [StoreProperty(name: "bs", kind: toMany)]),
    ])
    let layout = SchemaLayout(SchemaGraph(schema))
    let (a, b, c) = (layout.boxes[0], layout.boxes[1], layout.boxes[2])
    #expect(a.x + a.width < b.x && c.x + c.width < b.x)
    #expect(a.y + a.height < c.y)
    #expect(layout.lines.count == 3)
    #expect(layout.boxes.allSatisfy { $0.x + $0.width < layout.width })
  }

  @Test func `a schema without entities has a layout`() {
    let layout = SchemaLayout(SchemaGraph(StoreSchema(entities: [])))
    #expect(layout.boxes.isEmpty && layout.width > 0 && layout.height > 0)
  }

  @Test func `edges cross no box of another entity`() {
    // E0 … E9 in four columns, with edges to the next column and far beyond it.
    let entities = (0..<10).map { number in
      let targets = [number + 3, number + 6, number + 9, number].filter { $0 < 10 }
      return StoreEntity(
        name: "E\(number)",
        properties: targets.map {
          let relationship = StoreRelationship(destination: "E\($0)")
          return StoreProperty(name: "to\($0)", kind: .toMany(relationship))
        }
      )
    }
    let layout = SchemaLayout(SchemaGraph(StoreSchema(entities: entities)))
    #expect(layout.columns.count == 4)
    #expect(layout.lines.count == 7 + 4 + 1 + 10)
    for line in layout.lines {
      let others = layout.boxes.indices.filter { $0 != line.edge.from && $0 != line.edge.to }
      for number in others {
        let box = layout.boxes[number]
        let crosses = Self.pieces(of: line.path).contains { piece in
          piece.x.overlaps(box.x + 1...box.x + box.width - 1)
            && piece.y.overlaps(box.y...box.y + box.height)
        }
        #expect(!crosses, "\(line.path) crosses E\(number)")
      }
    }
  }

  /// The rectangles around the pieces of a path, which consists of horizontal lines and curves.
  private static func pieces(
    of path: String
  ) -> [(x: ClosedRange<Int>, y: ClosedRange<Int>)] {
    var (x, y) = (0, 0)
    var words = path.split(separator: " ")[...]
    func number(_ word: Substring) -> Int { Int(word.drop { !"-0123456789".contains($0) }) ?? 0 }
    func range(_ one: Int, _ other: Int) -> ClosedRange<Int> { min(one, other)...max(one, other) }
    var pieces: [(x: ClosedRange<Int>, y: ClosedRange<Int>)] = []
    while let word = words.popFirst() {
      switch word.first {
      case "H":
        pieces.append((range(x, number(word)), y...y))
        x = number(word)
      case "C":
        let rest = words.prefix(5).map(number)
        words = words.dropFirst(5)
        let outer = max(number(word), rest[1])
        pieces.append((min(x, rest[3])...max(x, rest[3], outer), range(y, rest[4])))
        (x, y) = (rest[3], rest[4])
      default:
        x = number(word)
        y = words.popFirst().map(number) ?? 0
      }
    }
    return pieces
  }
}
