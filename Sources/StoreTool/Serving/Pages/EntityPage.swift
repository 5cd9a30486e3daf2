import CommandLineSupport
import Foundation
import OpenSwiftData

/// The page of an entity's objects, and that of the elements of an object's relationship.
enum EntityPage {
  /// The selection of an entity's objects.
  struct Choice {
    /// A string that a text attribute of the object contains; empty for all.
    let words: String
    /// A condition in the form of `storectl list --where`; empty for all.
    let condition: String

    init(_ query: [String: String]) {
      func text(_ name: String) -> String {
        (query[name] ?? "").trimmingCharacters(in: .whitespaces)
      }
      (words, condition) = (text("q"), text("where"))
    }

    /// Returns the filter, or `nil` for all objects.
    ///
    /// - Throws: `CommandFailure` or `UsageError` for an invalid condition on the entity.
    func filter(_ entity: StoreEntity, _ opened: OpenedStore) throws -> QueryExpression? {
      var parts: [QueryExpression] = []
      if !condition.isEmpty {
        parts.append(try Condition(condition, of: entity, in: opened).expression)
      }
      if !words.isEmpty {
        let texts = entity.properties.filter { $0.attributeType == .string }
        parts.append(
          .or(
            texts.map { property in
              let value = QueryExpression.property(.element(0), property.name)
              return .text(
                .localizedStandardContains,
                property.isOptional ? .coalesce(value, .constant(.string(""))) : value,
                .constant(.string(words))
              )
            }
          )
        )
      }
      return parts.count > 1 ? .and(parts) : parts.first
    }
  }

  /// Returns the page of an entity's objects, including those of entities that inherit from it.
  static func page(
    _ entity: StoreEntity,
    _ query: [String: String],
    _ opened: OpenedStore
  ) throws -> Page {
    let choice = Choice(query)
    var rows = StoreQuery(entity: entity.name)
    do {
      rows.filter = try choice.filter(entity, opened)
    } catch let error where error is CommandFailure || error is UsageError {
      return mistake("\(error)", in: choice, of: entity, sort: query["sort"], opened)
    }
    let total = try opened.store.count(rows)
    let window = PageWindow(query["page"], total: total)
    // An address with an invalid order shows the page without one.
    let order = query["sort"].flatMap { text in (try? entity.sort(text)).map { (text, $0) } }
    rows.sort = order.map { [$0.1] } ?? []
    (rows.offset, rows.limit) = (window.offset, PageWindow.size)
    let wanted = ObjectTable.wanted
    var table = ObjectTable(
      caption: "\(total.grouped) \(total == 1 ? "object" : "objects") of \(entity.name)",
      columns: entity.properties,
      objects: try opened.objects(rows, wanted)
    )
    table.sorting = (order?.0, { PageLink.entity(entity.name, sort: $0, choice: choice) })
    let family = opened.store.schema.storeSchema.family(of: entity.name)
    let content = HTML { html in
      html.element("h1", text: entity.name)
      inheritance(of: entity, family, &html)
      form(entity, choice, sort: order?.0, opened, &html)
      table.append(to: &html)
      window.append(to: &html) {
        PageLink.entity(entity.name, sort: order?.0, choice: choice, page: $0)
      }
    }
    return Page(title: entity.name, part: .entities, content: content)
  }

  /// Returns the page for a condition that cannot be read: the reason and the form, to correct it.
  private static func mistake(
    _ reason: String,
    in choice: Choice,
    of entity: StoreEntity,
    sort: String?,
    _ opened: OpenedStore
  ) -> Page {
    let content = HTML { html in
      html.element("h1", text: entity.name)
      form(entity, choice, sort: sort, opened, &html)
      html.element("p", [("class", "mistake"), ("role", "alert")], text: reason)
    }
    return Page(title: entity.name, part: .entities, status: .badRequest, content: content)
  }

  /// Returns conditions on an entity as examples, one on an attribute and one across a reference.
  private static func examples(_ entity: StoreEntity, _ schema: StoreSchema) -> String {
    let own = Label.property(of: entity).map { "\($0.name)~a" }
    let number = entity.properties.first(where: \.isNumber).map { "\($0.name)>0" }
    let related = entity.properties.lazy.compactMap { property -> String? in
      guard let relationship = property.relationship,
        let other = schema.entity(named: relationship.destination),
        let label = Label.property(of: other)
      else { return nil }
      return "\(property.name).\(label.name)~a"
    }.first
    return [own ?? number, related].compactMap(\.self).joined(separator: ", ")
  }

  /// Appends the fields that select objects.
  private static func form(
    _ entity: StoreEntity,
    _ choice: Choice,
    sort: String?,
    _ opened: OpenedStore,
    _ html: inout HTML
  ) {
    let action = PageLink.entity(entity.name)
    html.element("form", [("action", action), ("class", "choice")]) { form in
      form.markup("<label>String contains ")
      form.void("input", [("type", "search"), ("name", "q"), ("value", choice.words)])
      form.markup("</label><label>Condition ")
      let hint = examples(entity, opened.store.schema.storeSchema)
      form.void(
        "input",
        [("name", "where"), ("value", choice.condition), ("placeholder", hint)]
      )
      form.markup("</label>")
      if let sort {
        form.void("input", [("type", "hidden"), ("name", "sort"), ("value", sort)])
      }
      form.markup("<button>Show</button>")
      if !choice.words.isEmpty || !choice.condition.isEmpty {
        form.link(PageLink.entity(entity.name, sort: sort), text: "Show all")
      }
    }
  }

  /// Returns the page of the objects that a relationship of an object refers to.
  static func members(
    of object: StoredObject,
    _ index: Int,
    _ query: [String: String],
    _ opened: OpenedStore
  ) throws -> Page? {
    let property = object.entity.properties[index]
    guard let relationship = property.relationship,
      case .identifiers(let members) = object.values[index],
      let entity = opened.store.schema.storeSchema.entity(named: relationship.destination)
    else { return nil }
    let window = PageWindow(query["page"], total: members.count)
    let shown = Array(members[window.range])
    let wanted = ObjectTable.wanted
    let found = try opened.objects(.rows(shown, of: entity.name), wanted)
    let byKey = Dictionary(firstOf: found.map { ($0.identifier, $0) })
    let title = "\(property.name) of \(object.identifier)"
    let table = ObjectTable(
      caption: "\(members.count.grouped) \(members.count == 1 ? "object" : "objects"), in order",
      columns: entity.properties,
      objects: shown.compactMap { byKey[$0] }
    )
    let content = HTML { html in
      html.element("h1", text: title)
      html.element("p") { $0.link(PageLink.object(object.identifier), text: "Back to the object") }
      table.append(to: &html)
      window.append(to: &html) { PageLink.members(object.identifier, property.name, page: $0) }
    }
    return Page(title: title, part: .entities, content: content)
  }

  private static func inheritance(
    of entity: StoreEntity,
    _ family: [StoreEntity],
    _ html: inout HTML
  ) {
    let below = family.filter { $0.name != entity.name }
    if entity.superentity == nil, below.isEmpty { return }
    html.element("p") { line in
      if let above = entity.superentity {
        line.text("Inherits from ")
        line.link(PageLink.entity(above), text: above)
        line.text(". ")
      }
      if !below.isEmpty { line.text("With the objects of ") }
      for (position, other) in below.enumerated() {
        if position > 0 { line.text(", ") }
        line.link(PageLink.entity(other.name), text: other.name)
      }
      if !below.isEmpty { line.text(".") }
    }
  }
}
