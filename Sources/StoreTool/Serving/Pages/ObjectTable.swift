import CommandLineSupport
import OpenSwiftData

/// A table of objects whose rows link to the objects.
struct ObjectTable {
  let caption: String
  let columns: [StoreProperty]
  let objects: [StoredObject]
  /// The order of the table, as `name` or `-name`, and the link to another order, or `nil` if there
  /// is no choice.
  var sorting: (current: String?, link: (String) -> String)?

  private static let longestCell = 80

  /// The properties that are read for a table: a page has fifty objects, each of which may contain
  /// long strings.
  static let wanted = WantedProperties(names: nil, readsFiles: false, longestString: 1_000)

  func append(to html: inout HTML) {
    html.scroller(caption) { region in
      region.element("table") { table in
        table.element("caption", text: caption)
        table.element("thead") { $0.element("tr") { heads(&$0) } }
        table.element("tbody") { body in
          for object in objects { body.element("tr") { row(object, &$0) } }
        }
      }
    }
  }

  private func heads(_ html: inout HTML) {
    html.markup("<th scope=\"col\">ID</th>")
    for column in columns {
      var attributes: [HTML.Attribute] = [("scope", "col")]
      if column.isNumber { attributes.append(("class", "n")) }
      guard let sorting, column.isSortable else {
        html.element("th", attributes, text: column.name)
        continue
      }
      let isUp = sorting.current == column.name
      let isDown = sorting.current == "-" + column.name
      if isUp || isDown { attributes.append(("aria-sort", isUp ? "ascending" : "descending")) }
      html.element("th", attributes) { head in
        head.element("a", [("href", sorting.link(isUp ? "-" + column.name : column.name))]) {
          link in
          link.text(column.name)
          if isUp { link.markup("<span aria-hidden=\"true\"> ▲</span>") }
          if isDown { link.markup("<span aria-hidden=\"true\"> ▼</span>") }
        }
      }
    }
  }

  private func row(_ object: StoredObject, _ html: inout HTML) {
    html.element("th", [("scope", "row")]) {
      $0.link(PageLink.object(object.identifier), text: "\(object.identifier)")
    }
    for column in columns {
      html.element("td", column.isNumber ? [("class", "n")] : []) { cell in
        append(column, of: object, &cell)
      }
    }
  }

  private func append(_ column: StoreProperty, of object: StoredObject, _ html: inout HTML) {
    switch object.value(of: column) {
    case .identifier(let identifier) where column.isToOne:
      html.link(PageLink.object(identifier), text: "\(identifier)")
    case .identifiers(let list) where !list.isEmpty:
      html.link(PageLink.members(object.identifier, column.name), text: list.count.grouped)
    case .null, nil:
      let isUnread = object.shown(column) == "in a file"
      html.element("span", [("class", "none")], text: isUnread ? "in a file" : "–")
    default: html.text(object.shown(column).shown(to: Self.longestCell))
    }
  }
}
