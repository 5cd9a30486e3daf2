import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Foundation's own decoding of these types ends the program for some values.
@Suite("Values that Foundation does not decode safely")
struct GuardedValueTests {
  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `can be parts of attributes on every store`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Ruled.self)
    let context = try fixture.context()
    let row = Ruled()
    let letters = CharacterSet(charactersIn: "a\u{E9}\u{1F600}")
    row.rule = Ruled.Rule(set: letters)
    row.list = [letters, CharacterSet()]
    row.map = ["x": .alphanumerics]
    row.choice = .some(letters)
    row.indexes = [IndexSet([1, 2, 9])]
    row.components = URLComponents(string: "http://a.b:80/c")
    context.insert(row)
    try context.save()
    let back = try #require(try fixture.context().all(Ruled.self).first)
    #expect(back.rule.set == letters)
    #expect(back.list == [letters, CharacterSet()])
    #expect(back.map == ["x": .alphanumerics])
    #expect(back.choice == .some(letters))
    #expect(back.indexes == row.indexes)
    #expect(back.components == row.components)
    context.delete(row)
    try context.save()
    #expect(row.isDeleted || row.isDetached)
  }

  /// Another program may have stored anything that has the form of a value.
  @Test(arguments: EveryStore.withTextKeys.filter(\.persists))
  func `fail the fetch with their property if the stored ones are invalid`(
    store: EveryStore
  ) throws {
    let bits = Data(repeating: 0, count: 8_192) + [17]
    let rows: [(Hostile.Ruled, String)] = [
      (Hostile.Ruled(bits: bits), "rule"),
      (Hostile.Ruled(indexes: [["location": 1, "length": -1]]), "indexes"),
      (Hostile.Ruled(indexes: [["location": .max, "length": 1]]), "indexes"),
      (Hostile.Ruled(scheme: "1"), "components"), (Hostile.Ruled(scheme: ""), "components"),
      (Hostile.Ruled(port: -1), "components"),
    ]
    for (row, property) in rows {
      let fixture = try ContainerFixture(store, for: Hostile.Ruled.self)
      try {
        let context = try fixture.context()
        context.insert(row)
        try context.save()
      }()
      let later = try ModelContext(
        ModelContainer(for: Schema(Ruled.self), store: fixture.kind.url(in: fixture.folder))
      )
      let error = #expect(throws: DataStoreError.invalidValue) {
        for row in try later.fetch(FetchDescriptor<Ruled>()) { _ = (row.rule, row.indexes) }
      }
      #expect(error?.entity == "Ruled" && error?.property == property)
    }
  }
}

@Model
private final class Ruled {
  struct Rule: Codable { var set: CharacterSet }
  enum Choice: Codable, Equatable { case none, some(CharacterSet) }
  var rule: Rule = Rule(set: [])
  var list: [CharacterSet] = []
  var map: [String: CharacterSet] = [:]
  var choice: Choice = Choice.none
  var indexes: [IndexSet] = []
  var components: URLComponents?

  init() {}
}

/// The same model, whose values have the stored forms of other types.
private enum Hostile {
  struct Bits: Codable { var bitmap: Data }
  struct Rule: Codable { var set: Bits }
  struct Indexes: Codable { var indexes: [[String: Int]] }
  struct Components: Codable {
    var scheme: String
    var port: Int
  }

  @Model
  final class Ruled {
    var rule: Rule
    var list: [Bits] = []
    var map: [String: Bits] = [:]
    var choice: [String: [String: Bits]] = ["none": [:]]
    var indexes: [Indexes]
    var components: Components?

    init(
      bits: Data = Data(),
      indexes: [[String: Int]] = [],
      scheme: String = "http",
      port: Int = 80
    ) {
      rule = Rule(set: Bits(bitmap: bits))
      self.indexes = [Indexes(indexes: indexes)]
      components = Components(scheme: scheme, port: port)
    }
  }
}
