import CommandLineSupport

/// The HTML of a page, in which only the program's own words are markup.
///
/// Markup is always a literal of the source. Everything from a store or a request is passed through
/// `text(_:)` or an attribute, which escape it.
struct HTML {
  private(set) var source = ""

  typealias Attribute = (name: StaticString, value: String)

  /// Creates the output of a closure.
  init(_ content: (inout HTML) throws -> Void = { _ in }) rethrows {
    try content(&self)
  }

  /// Appends markup.
  mutating func markup(_ literal: StaticString) {
    source += "\(literal)"
  }

  /// Appends a string of any origin.
  mutating func text(_ text: String) {
    source += Self.escaped(text)
  }

  mutating func append(_ other: HTML) {
    source += other.source
  }

  /// Appends an element with its content.
  mutating func element(
    _ name: StaticString,
    _ attributes: [Attribute] = [],
    _ content: (inout HTML) throws -> Void
  ) rethrows {
    void(name, attributes)
    try content(&self)
    source += "</\(name)>"
  }

  /// Appends an element with a string.
  mutating func element(_ name: StaticString, _ attributes: [Attribute] = [], text: String) {
    element(name, attributes) { $0.text(text) }
  }

  /// Appends an element that has no content and no end tag.
  mutating func void(_ name: StaticString, _ attributes: [Attribute]) {
    source += "<\(name)"
    for attribute in attributes {
      source += " \(attribute.name)=\"\(Self.escaped(attribute.value))\""
    }
    source += ">"
  }

  /// Appends a region that scrolls sideways if it is too wide, by keyboard too.
  mutating func scroller(_ label: String, _ content: (inout HTML) throws -> Void) rethrows {
    let attributes: [Attribute] = [
      ("class", "scroll"), ("role", "region"), ("aria-label", label), ("tabindex", "0"),
    ]
    try element("div", attributes, content)
  }

  /// Appends a link.
  mutating func link(_ target: String, _ attributes: [Attribute] = [], text: String) {
    var all: [Attribute] = [("href", target)]
    all += attributes
    element("a", all, text: text)
  }

  /// Returns the string with all characters escaped that have a meaning in markup.
  ///
  /// Characters that change how a page is displayed are made visible.
  static func escaped(_ text: String) -> String {
    text.visible.replacingScalars { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      default: nil
      }
    }
  }
}
