extension JSONFileStoreConfiguration {
  /// How the text of a document stands in lines.
  public enum Layout: String, CaseIterable, Hashable, Sendable {
    /// One row a line: the smallest document, and one line in a comparison for each row that changed.
    case lines
    /// One property a line, indented: a line in a comparison for each value that changed.
    case indented
  }
}

extension JSONFileStoreConfiguration.Layout {
  /// The layout of a document's text; what a person laid out counts as one of both.
  init(of document: [UInt8]) {
    self = document.starts(with: "{\n ".utf8) ? .indented : .lines
  }
}

extension JSONPrinter {
  /// Begins a line, as deep within the document as the layout has it.
  mutating func beginLine(_ depth: Int, _ layout: JSONFileStoreConfiguration.Layout) {
    append(UInt8(ascii: "\n"))
    guard layout == .indented else { return }
    for _ in 0..<depth { append(json: "  ") }
  }
}
