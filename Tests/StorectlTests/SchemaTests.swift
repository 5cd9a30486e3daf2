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
}
