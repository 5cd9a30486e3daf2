extension JSONFileStoreConfiguration {
  /// The line layout of a document.
  public enum Layout: String, CaseIterable, Hashable, Sendable {
    /// One row per line: the smallest document, and one line of a diff for each changed row.
    case lines
    /// One property per line, indented: one line of a diff for each changed value.
    case indented
  }
}

extension JSONFileStoreConfiguration.Layout {
  /// Creates the layout of a document; a manually formatted document counts as one of the two.
  init(of document: [UInt8]) {
    self = document.starts(with: "{\n ".utf8) ? .indented : .lines
  }
}

extension JSONPrinter {
  /// Starts a line, indented according to the layout.
  mutating func beginLine(_ depth: Int, _ layout: JSONFileStoreConfiguration.Layout) {
    append(UInt8(ascii: "\n"))
    guard layout == .indented else { return }
    for _ in 0..<depth { append(json: "  ") }
  }
}
