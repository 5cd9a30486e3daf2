import OpenSwiftData

/// The page of all entities.
enum OverviewPage {
  static func page(_ opened: OpenedStore) throws -> Page {
    let schema = opened.store.schema.storeSchema
    let counts = try opened.entities.map { try opened.count($0) }
    let content = HTML { html in
      html.element("h1", text: "Entities")
      html.scroller("Entities") { region in
        region.element("table") { table in
          table.element(
            "caption",
            text: "\(counts.reduce(0, +).grouped) objects of \(counts.count.grouped) entities"
          )
          table.markup("<thead><tr><th scope=\"col\">Entity</th>")
          table.markup("<th scope=\"col\" class=\"n\">Objects</th>")
          table.markup("<th scope=\"col\" class=\"n\">Properties</th>")
          table.markup("<th scope=\"col\">Inherits from</th></tr></thead>")
          table.element("tbody") { body in
            for (entity, count) in zip(opened.entities, counts) {
              body.element("tr") { row(entity, count, &$0) }
            }
          }
        }
      }
      html.element("h2", text: "Store")
      html.element("dl") { list in
        list.element("dt", text: "Identifier")
        list.element("dd", text: opened.store.identifier)
        list.element("dt", text: "Schema")
        list.element("dd", text: schema.version)
        for file in StoreFilesOnDisk(url: opened.url).files {
          list.element("dt", text: file.name)
          list.element("dd", text: ShownValue.groupedBytes(file.bytes))
        }
      }
    }
    return Page(title: "Entities", part: .entities, content: content)
  }

  private static func row(_ entity: StoreEntity, _ count: Int, _ html: inout HTML) {
    html.element("th", [("scope", "row")]) {
      $0.link(PageLink.entity(entity.name), text: entity.name)
    }
    html.element("td", [("class", "n")], text: count.grouped)
    html.element("td", [("class", "n")], text: "\(entity.properties.count)")
    html.element("td") { cell in
      if let above = entity.superentity {
        cell.link(PageLink.entity(above), text: above)
      } else {
        cell.markup("<span class=\"none\">–</span>")
      }
    }
  }
}
