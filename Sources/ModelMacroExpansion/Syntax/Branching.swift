/// A list that may contain `#if` blocks.
struct Branching<Element> {
  /// One item of the list.
  enum Item {
    case element(Element)
    case conditional([Branch])
  }

  /// The content under one condition of an `#if` block.
  struct Branch {
    /// The line that opens the branch, such as `#if DEBUG` or `#else`.
    var condition: String
    var content: Branching
  }

  var items: [Item] = []

  /// Every element under every condition, in source order.
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

  /// Returns the list with other elements; blocks that become empty are removed.
  func flatMap<Other>(_ transform: (Element) -> [Other]) -> Branching<Other> {
    var result = Branching<Other>()
    for item in items {
      switch item {
      case .element(let element):
        result.items += transform(element).map(Branching<Other>.Item.element)
      case .conditional(let branches):
        let other = branches.map {
          Branching<Other>.Branch(
            condition: $0.condition,
            content: $0.content.flatMap(transform)
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
