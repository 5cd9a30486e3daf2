import OpenSwiftData
import Testing

@Suite struct `History types` {
  @Model final class Stop {
    var name: String = ""
    var minutes: Int = 0

    init(name: String) { self.name = name }
  }

  private func transaction(_ number: Int64, author: String? = nil) -> DefaultHistoryTransaction {
    HistoryBuilder(schema: Schema(), store: "store").transaction(
      StoreTransaction(
        number: number,
        saveIdentifier: UUID(ofSave: number, in: "store"),
        timestamp: Date(timeIntervalSinceReferenceDate: Double(number)),
        author: author,
        changes: []
      )
    )
  }

  private func identifier(_ key: Int64) -> PersistentIdentifier {
    PersistentIdentifier(
      scope: .init(storeIdentifier: "store", entityName: "Stop"),
      key: .integer(key)
    )
  }

  @Test func `a predicate selects the transactions after a token`() throws {
    let history = (1...4).map { transaction($0) }
    let last = history[1].token
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.token > last },
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    )
    let predicate = try #require(descriptor.predicate)
    let found = try history.filter(predicate.evaluate).sorted(using: descriptor.sortBy)
    #expect(found.map(\.id) == [4, 3])
    #expect(descriptor.fetchLimit == 0)
  }

  @Test func `a predicate selects the transactions of an author`() throws {
    let history = [transaction(1, author: "import"), transaction(2), transaction(3, author: "me")]
    let predicate = #Predicate<DefaultHistoryTransaction> { $0.author == "me" }
    #expect(try history.filter(predicate.evaluate).map(\.id) == [3])
  }

  @Test func `a token names its store`() {
    #expect(transaction(1).token.storeIdentifier == "store")
    #expect(DefaultHistoryToken(tokenValue: ["b": 2, "a": 1]).storeIdentifier == "a")
    #expect(DefaultHistoryToken().storeIdentifier == "")
  }

  @Test func `tokens are compared store by store`() {
    let none = DefaultHistoryToken()
    let one = DefaultHistoryToken(tokenValue: ["a": 1])
    let two = DefaultHistoryToken(tokenValue: ["a": 2])
    let other = DefaultHistoryToken(tokenValue: ["a": 1, "b": 5])
    #expect(none < one && one < two && one < other && other < two)
    #expect(!(one < one))
  }

  @Test func `a token without a store equals one with its number zero`() {
    let none = DefaultHistoryToken()
    let zero = DefaultHistoryToken(tokenValue: ["a": 0])
    #expect(none == zero)
    #expect(none.hashValue == zero.hashValue)
    #expect(!(none < zero) && !(zero < none))
  }

  @Test func `a token can be encoded and decoded`() throws {
    let token = DefaultHistoryToken(tokenValue: ["a": .max, "b": 1])
    let data = try JSONEncoder().encode(token)
    #expect(try JSONDecoder().decode(DefaultHistoryToken.self, from: data) == token)
  }

  @Test func `the beginning of all history can be encoded and decoded`() throws {
    for data in [
      try JSONEncoder().encode(DefaultHistoryToken()), Data(#"{"tokenValue":null}"#.utf8),
    ] {
      #expect(try JSONDecoder().decode(DefaultHistoryToken.self, from: data).tokenValue == nil)
    }
    let list = try PropertyListEncoder().encode(DefaultHistoryToken())
    #expect(
      try PropertyListDecoder().decode(DefaultHistoryToken.self, from: list).tokenValue == nil
    )
  }

  @Test(arguments: [
    #"{}"#, #"{"saveIdentifiers":{}}"#, #"{"position":3}"#, #"[]"#, #"{"tokenValue":3}"#,
  ])
  func `another value cannot be decoded as a token`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(text.utf8))
    }
  }

  @Test func `a tombstone provides preserved values by key path and in order`() {
    let tombstone = HistoryTombstone<Stop>([(\Stop.name, "Home"), (\Stop.minutes, 5)])
    #expect(tombstone[\.name] as? String == "Home")
    #expect(tombstone[\.minutes] as? Int == 5)
    #expect(tombstone[\.persistentModelID] == nil)
    #expect(tombstone.map { "\($0)" } == ["Home", "5"])
  }

  @Test func `a change has the identifier and the updated attributes`() throws {
    let insert = DefaultHistoryInsert<Stop>(
      changeIdentifier: 1,
      transactionIdentifier: 9,
      changedPersistentIdentifier: identifier(1)
    )
    let update = DefaultHistoryUpdate<Stop>(
      changeIdentifier: 2,
      transactionIdentifier: 9,
      changedPersistentIdentifier: identifier(2),
      updatedAttributes: [\Stop.name]
    )
    let delete = DefaultHistoryDelete<Stop>(
      changeIdentifier: 3,
      transactionIdentifier: 9,
      changedPersistentIdentifier: identifier(3),
      tombstone: HistoryTombstone([(\Stop.name, "Home")])
    )
    let changes: [HistoryChange] = [.insert(insert), .update(update), .delete(delete)]
    #expect(changes.map(\.changedPersistentIdentifier) == (1...3).map(identifier))
    guard case .update(let found as DefaultHistoryUpdate<Stop>) = changes[1] else {
      Issue.record("an update of a Stop was expected")
      return
    }
    #expect(found.updatedAttributes.contains { $0 == \Stop.name })
  }
}
