import StoreProtocol

/// The rule about the optional fast paths of a store that the machine does not test.
enum DirectRules {
  static let all: [Rule] = [
    .second("DIRECT-003", "A row can be read while another row is being read.", nestedRows)
  ]

  private static func nestedRows(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["a", "b", "c"])
    let store = try bench.store
    var names: [StoreValue] = []
    try store.read(.row(people[0], of: "Person")) { first in
      try store.read(.row(people[1], of: "Person")) { second in
        try store.read(.row(people[2], of: "Person")) { names.append(try $0.value(at: 0)) }
        names.append(try second.value(at: 0))
      }
      names.append(try first.value(at: 0))
    }
    try expect("the names", names, equals: [.string("c"), .string("b"), .string("a")])
  }
}
