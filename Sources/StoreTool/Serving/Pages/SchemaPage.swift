import OpenSwiftData

/// The page of the schema: a diagram, and the same as text.
enum SchemaPage {
  static func page(_ opened: OpenedStore) -> Page {
    let schema = opened.store.schema.storeSchema
    let graph = SchemaGraph(schema)
    let content = HTML { html in
      html.element("h1", text: "Schema")
      html.element("p", text: "Version \(schema.version), fingerprint \(schema.fingerprint)")
      html.scroller("Diagram") { SchemaDrawing(graph).append(to: &$0) }
      for entity in schema.entities { append(entity, graph, &html) }
    }
    return Page(title: "Schema", part: .schema, content: content)
  }

  private static func append(_ entity: StoreEntity, _ graph: SchemaGraph, _ html: inout HTML) {
    html.element("h2") { head in
      head.link(PageLink.entity(entity.name), text: entity.name)
      if let above = entity.superentity { head.text(", inherits from \(above)") }
    }
    html.scroller("Properties of \(entity.name)") { region in
      region.element("table") { table in
        table.markup("<thead><tr><th scope=\"col\">Property</th><th scope=\"col\">Type</th>")
        table.markup("<th scope=\"col\">Other end</th><th scope=\"col\">When deleted</th>")
        table.markup("</tr></thead>")
        table.element("tbody") { body in
          for property in graph.schema.ownProperties(of: entity) {
            body.element("tr") { row(property, &$0) }
          }
        }
      }
    }
    let rules =
      entity.uniquenessConstraints.map { "unique: \($0.joined(separator: ", "))" }
      + entity.indices.map { "index: \($0.joined(separator: ", "))" }
    guard !rules.isEmpty else { return }
    html.element("ul") { list in for rule in rules { list.element("li", text: rule) } }
  }

  private static func row(_ property: StoreProperty, _ html: inout HTML) {
    html.element("th", [("scope", "row")], text: property.name)
    html.element("td", text: SchemaText.word(property))
    html.element("td", text: property.relationship?.inverse ?? "–")
    html.element("td", text: property.relationship?.deleteRule ?? "–")
  }
}
