/// Generated source, line by line.
struct Source {
  private(set) var lines: [String] = []

  init(_ lines: String...) {
    self.lines = lines
  }

  var text: String { lines.joined(separator: "\n") }

  /// Adds a line, or a piece of the user's source unchanged.
  mutating func add(_ line: String) { lines.append(line) }

  mutating func add(_ other: Source) { lines += other.lines }

  /// Adds a head with its block in braces.
  mutating func add(_ head: String, body: (inout Source) -> Void) {
    var inner = Source()
    body(&inner)
    guard !inner.lines.isEmpty else {
      add("\(head) {}")
      return
    }
    add("\(head) {")
    lines += inner.lines.map { "  \($0)" }
    add("}")
  }

  /// Adds the source of each element, under the conditions of the list.
  mutating func add<Element>(
    each list: Branching<Element>,
    _ write: (Element, inout Source) -> Void
  ) {
    for item in list.items {
      switch item {
      case .element(let element): write(element, &self)
      case .conditional(let branches):
        for branch in branches {
          add(branch.condition)
          add(each: branch.content, write)
        }
        add("#endif")
      }
    }
  }
}
