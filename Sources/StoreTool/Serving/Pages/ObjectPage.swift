import Foundation
import OpenSwiftData

struct ObjectPage {
  /// The largest number of a relationship's elements that are named; all of them are on a page of
  /// their own.
  private static let mostMembers = 10
  /// The largest number of a string's scalars that are shown; the whole string is behind a link.
  private static let mostLetters = 20_000
  /// The largest number of data bytes that are shown; all of them are behind a link.
  private static let mostBytes = 64

  private let object: StoredObject
  /// The labels of the objects that the page links to.
  private var labels = Labels()

  init(_ object: StoredObject, in opened: OpenedStore) throws {
    self.object = object
    for (property, value) in zip(object.entity.properties, object.values) {
      guard let destination = property.relationship?.destination else { continue }
      switch value {
      case .identifier(let identifier):
        try labels.read([identifier], of: destination, in: opened)
      case .identifiers(let list):
        try labels.read(Array(list.prefix(Self.mostMembers)), of: destination, in: opened)
      default: continue
      }
    }
  }

  var page: Page {
    let entity = object.entity
    let content = HTML { html in
      html.element("h1") { head in
        head.text("\(object.identifier)")
        if let label = Label.text(object) {
          head.text(" ")
          head.element("span", [("class", "label")], text: label)
        }
      }
      html.element("p") { line in
        line.text("An object of ")
        line.link(PageLink.entity(entity.name), text: entity.name)
        line.text(object.version > 0 ? ", last changed by save \(object.version)." : ".")
      }
      html.scroller("Properties") { region in
        region.element("table", [("class", "object")]) { table in
          table.markup("<caption>Properties</caption><thead><tr><th scope=\"col\">Property</th>")
          table.markup("<th scope=\"col\">Type</th><th scope=\"col\">Value</th></tr></thead>")
          table.element("tbody") { rows(&$0) }
        }
      }
    }
    return Page(title: "\(object.identifier)", part: .entities, content: content)
  }

  private func rows(_ html: inout HTML) {
    for (index, property) in object.entity.properties.enumerated() {
      html.element("tr") { row in
        row.element("th", [("scope", "row")], text: property.name)
        row.element("td", [("class", "type")], text: SchemaText.word(property))
        row.element("td") { append(index, property, &$0) }
      }
    }
  }

  private func append(_ index: Int, _ property: StoreProperty, _ html: inout HTML) {
    switch object.values[index] {
    case .null where object.unread.contains(index):
      html.text("In a file. ")
      appendLink(to: property, &html)
    case .null: html.markup("<span class=\"none\">–</span>")
    case .identifier(let identifier) where property.isToOne: appendLink(to: identifier, &html)
    case .identifiers(let list): append(list, property, &html)
    case .string(let text): append(text, property, &html)
    case .data(let data): append(data, property, &html)
    default:
      append(
        ShownValue(object.values[index], property, in: object.entity).exact,
        property,
        &html
      )
    }
  }

  /// Appends the beginning of a string, and a link to all of it if it is long.
  private func append(_ text: String, _ property: StoreProperty, _ html: inout HTML) {
    let start = text.unicodeScalars.prefix(Self.mostLetters)
    html.element("div", [("class", "text")]) { block in
      let lines = start.split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() {
        if number > 0 { block.markup("<br>") }
        block.text(String(line))
      }
    }
    guard start.endIndex < text.endIndex else { return }
    html.element("p", [("class", "none")]) { line in
      line.text(
        "The first \(Self.mostLetters.grouped) characters of "
          + "\(ShownValue.groupedBytes(text.utf8.count)). "
      )
      appendLink(to: property, &line)
    }
  }

  /// Appends a link to an object.
  private func appendLink(to identifier: PersistentIdentifier, _ html: inout HTML) {
    html.link(PageLink.object(identifier), text: "\(identifier)")
    if let label = labels[identifier] {
      html.text(" ")
      html.element("span", [("class", "label")], text: label)
    }
  }

  /// Appends a link to the whole value.
  private func appendLink(to property: StoreProperty, _ html: inout HTML) {
    html.link(PageLink.members(object.identifier, property.name), text: "The whole value")
  }

  private func append(_ data: Data, _ property: StoreProperty, _ html: inout HTML) {
    html.text(ShownValue.groupedBytes(data.count))
    guard !data.isEmpty else { return }
    let shown = data.prefix(Self.mostBytes).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    let more = data.count > Self.mostBytes ? " …" : ""
    html.markup("<br>")
    html.element("code", text: shown.joined(separator: " ") + more)
    guard data.count > Self.mostBytes else { return }
    html.markup("<br>")
    appendLink(to: property, &html)
  }

  private func append(
    _ list: [PersistentIdentifier],
    _ property: StoreProperty,
    _ html: inout HTML
  ) {
    guard !list.isEmpty else { return html.markup("<span class=\"none\">none</span>") }
    html.element("ul") { items in
      for identifier in list.prefix(Self.mostMembers) {
        items.element("li") { appendLink(to: identifier, &$0) }
      }
    }
    let all = list.count > Self.mostMembers ? "All \(list.count.grouped) as a table" : "As a table"
    html.link(PageLink.members(object.identifier, property.name), text: all)
  }
}
