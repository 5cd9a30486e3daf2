import OpenSwiftData

/// A page with the elements that surround the content of all pages.
struct Page {
  /// The part of the site that a page belongs to.
  enum Part: String, CaseIterable {
    case entities = "Entities"
    case schema = "Schema"
    case history = "History"
  }

  let title: String
  var part: Part?
  var status = HTTPStatus.ok
  let content: HTML

  /// The whole page.
  ///
  /// - Parameters:
  ///   - store: The name of the store, for the head and the title.
  ///   - example: The name of an object as the store could have it.
  /// - Returns: The page as HTML.
  func html(store: String, example: String) -> String {
    let page = HTML { html in
      html.markup("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">")
      html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
      html.markup("<meta name=\"color-scheme\" content=\"light dark\">")
      html.markup("<link rel=\"icon\" href=\"data:,\">")
      html.markup("<link rel=\"stylesheet\" href=\"/style.css\">")
      html.element("title", text: "\(title) – \(store)")
      html.markup("</head><body><a class=\"skip\" href=\"#content\">Skip to the content</a>")
      html.element("header") { header in
        header.link(PageLink.overview, [("class", "brand")], text: store)
        navigation(&header)
        jump(example, &header)
      }
      html.element("main", [("id", "content")]) { $0.append(content) }
      html.markup("<footer><p>Read-only, on this machine only.</p></footer></body></html>")
    }
    return page.source + "\n"
  }

  /// Appends the field that opens an object by its name.
  private func jump(_ example: String, _ html: inout HTML) {
    html.element("form", [("action", PageLink.jump), ("role", "search")]) { form in
      form.element("label") { label in
        label.text("Go to ")
        label.void("input", [("name", "id"), ("placeholder", example), ("required", "")])
      }
      form.markup("<button>Go</button>")
    }
  }

  private func navigation(_ html: inout HTML) {
    html.element("nav", [("aria-label", "Store")]) { nav in
      nav.element("ul") { list in
        for part in Part.allCases {
          let current: [HTML.Attribute] = part == self.part ? [("aria-current", "page")] : []
          list.element("li") { $0.link(part.link, current, text: part.rawValue) }
        }
      }
    }
  }
}

extension Page.Part {
  fileprivate var link: String {
    switch self {
    case .entities: PageLink.overview
    case .schema: PageLink.schema
    case .history: PageLink.history
    }
  }
}

/// One of several pages of a long list.
struct PageWindow {
  static let size = 50

  let total: Int
  /// The number of the page, from 1.
  let number: Int

  /// Creates the page with a number, or the nearest existing one.
  init(_ text: String?, total: Int) {
    self.total = total
    last = max(1, (total + Self.size - 1) / Self.size)
    number = min(max(text.flatMap { Int($0) } ?? 1, 1), last)
  }

  let last: Int

  var offset: Int { (number - 1) * Self.size }
  var range: Range<Int> { min(offset, total)..<min(offset + Self.size, total) }

  /// Appends the number of this part, and links to the others.
  func append(to html: inout HTML, link: (Int) -> String) {
    guard last > 1 else { return }
    let window = "\((range.lowerBound + 1).grouped)–\(range.upperBound.grouped) of \(total.grouped)"
    html.element("nav", [("class", "pages"), ("aria-label", "Pages")]) { nav in
      if number > 1 {
        nav.link(link(1), text: "First")
        nav.link(link(number - 1), [("rel", "prev")], text: "Previous")
      }
      nav.element("span", text: window)
      if number < last {
        nav.link(link(number + 1), [("rel", "next")], text: "Next")
        nav.link(link(last), text: "Last")
      }
    }
  }
}
