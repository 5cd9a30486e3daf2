import StoreProtocol

/// Selections for which a store must throw.
enum SelectionRules {
  static let all: [Rule] = [
    Rule("SELECT-010", "A sum that overflows throws.", overflow),
    Rule("SELECT-011", "An invalid column of a selection throws.", refusals),
  ]

  private static func overflow(_ bench: StoreBench) throws {
    for count: Int64 in [.max, 3] { try bench.insert("Exhibit", ["count": .integer(count)]) }
    let sum = StoreSelection.Column.aggregate(.sum, .row("count"), .int64)
    let selection = StoreSelection(StoreQuery(entity: "Exhibit"), groups: [], columns: [sum])
    try expect("the sum", throws: .invalidValue) { try bench.store.select(selection) { _ in } }
  }

  private static func refusals(_ bench: StoreBench) throws {
    let query = StoreQuery(entity: "Person")
    let name = QueryExpression.row("name")
    for selection in [
      StoreSelection(query, columns: [.count]), StoreSelection(query, columns: [.key(0)]),
      StoreSelection(query, groups: [name], columns: [.value(name)]),
      StoreSelection(query, groups: [name], columns: [.key(1)]),
      StoreSelection(query, groups: [], columns: [.aggregate(.sum, name, .string)]),
    ] {
      try expect("the selection", throws: .invalidPredicate) {
        try bench.store.select(selection) { _ in }
      }
    }
  }
}
