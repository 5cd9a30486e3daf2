/// A list in which `#if` blocks may stand.
struct Branching<Element> {
  /// One place of the list.
  enum Item {
    case element(Element)
    case conditional([Branch])
  }

  /// What stands under one condition of an `#if` block.
  struct Branch {
    /// The line that opens the branch, such as `#if DEBUG` or `#else`.
    var condition: String
    var content: Branching
  }

  var items: [Item] = []

  /// Every element under every condition, in the order of the text.
  var all: [Element] {
    items.flatMap { item in
      switch item {
      case .element(let element): [element]
      case .conditional(let branches): branches.flatMap(\.content.all)
      }
    }
  }

  /// Whether the list has an `#if` block.
  var isConditional: Bool {
    items.contains { item in
      if case .conditional = item { true } else { false }
    }
  }

  /// The same list with other elements; elements that become nil and blocks left empty fall away.
  func compactMap<Other>(_ transform: (Element) -> Other?) -> Branching<Other> {
    var result = Branching<Other>()
    for item in items {
      switch item {
      case .element(let element):
        if let other = transform(element) { result.items.append(.element(other)) }
      case .conditional(let branches):
        let other = branches.map {
          Branching<Other>.Branch(
            condition: $0.condition,
            content: $0.content.compactMap(transform)
          )
        }
        if other.contains(where: { !$0.content.items.isEmpty }) {
          result.items.append(.conditional(other))
        }
      }
    }
    return result
  }
}
