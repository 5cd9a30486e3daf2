import Foundation
import JSONFileStore
import StoreProtocol
import Testing

@Suite("A document with a hostile history or hostile lists")
struct HostileHistoryTests {
  private let fixture: StoreFixture
  private let whole: String
  /// The history that the store wrote, including its braces.
  private let history: String

  init() throws {
    fixture = try StoreFixture()
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("kept")]))
    try store.close()
    whole = try fixture.text(fixture.url)
    let start = try #require(whole.range(of: "\"history\": ")).upperBound
    let end = try #require(whole.range(of: "\n}\n", options: .backwards)).lowerBound
    history = String(whole[start..<end])
  }

  private func write(_ old: String, by new: String) throws -> Data {
    let edited = whole.replacingOccurrences(of: old, with: new)
    try #require(edited != whole)
    try Data(edited.utf8).write(to: fixture.url)
    return Data(edited.utf8)
  }

  /// Restores the original document, and expects the saved row.
  private func expectNothingLost() throws {
    try Data(whole.utf8).write(to: fixture.url)
    let store = try fixture.open()
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
    #expect(try store.transactions(StoreHistoryQuery()).count == 1)
  }

  @Test(arguments: [
    (
      #"{"transactions":[{"number":2,"time":{"$date":0}},{"number":1,"time":{"$date":0}}]}"#,
      "transactions must be in ascending order"
    ),
    (#"{"transactions":[{"number":2}]}"#, "a transaction must have a number and a time"),
    (#"{"transactions":[{"time":{"$date":0}}]}"#, "a transaction must have a number and a time"),
    (#"{"cut":-1}"#, "save numbers must be from 0 to 2^62"),
    (#"{"cut":4611686018427387905}"#, "save numbers must be from 0 to 2^62"),
    (#"{"paste":1}"#, "a history cannot have this key"),
  ])
  func `is refused with the location of the error`(text: String, message: String) throws {
    let bytes = try write(history, by: text)
    let error = try #require(throws: DataStoreError.self) { try fixture.open() }
    #expect(error == .storeDamaged)
    #expect(error.message.contains(message), "\(error)")
    #expect(error.file == fixture.url.path)
    let start = try #require(whole.range(of: history)).lowerBound
    #expect(try #require(error.offset) >= start.utf16Offset(in: whole))
    #expect(try Data(contentsOf: fixture.url) == bytes)
    try expectNothingLost()
  }

  @Test(arguments: ["7", "[7]", #"[{"insert":"Item"}]"#, #"[{"insert":"Item","keys":[[2,1]]}]"#])
  func `keeps its rows if a transaction cannot be read`(changes: String) throws {
    let line = #"{"number":1,"time":{"$date":0},"changes":"# + changes + "}"
    _ = try write(history, by: #"{"transactions":[\#(line)]}"#)
    do {
      let store = try fixture.open()
      let error = try #require(throws: DataStoreError.self) {
        try store.transactions(StoreHistoryQuery())
      }
      #expect(error == .storeDamaged)
      #expect(error.message.contains("transaction 1 of the history cannot be read"))
      #expect(error.file == fixture.url.path)
      #expect(try store.all().map { $0["name"] } == [.string("kept")])
      try store.deleteTransactions(nil)
      #expect(try store.transactions(StoreHistoryQuery()).isEmpty)
      try store.close()
    }
    try expectNothingLost()
  }

  @Test func `is read without expanding ranges of keys`() throws {
    // 2^31 changes in forty bytes.
    let changes = #"[{"insert":"Item","keys":[[1,2147483647]]},{"delete":"Other","keys":[7]}]"#
    let line = #"{"number":1,"time":{"$date":0},"changes":"# + changes + "}"
    _ = try write(history, by: #"{"transactions":[\#(line)]}"#)
    let store = try fixture.open()
    let transaction = try #require(try store.transactions(StoreHistoryQuery()).first)
    #expect(transaction.changes.count == 1 << 31)
    #expect(transaction.changes.first?.identifier.integerKey == 1)
    #expect(transaction.changes[1_000_000_000].identifier.integerKey == 1_000_000_001)
    #expect(transaction.changes[2_147_483_646].identifier.integerKey == 2_147_483_647)
    #expect(transaction.changes.last?.kind == .delete)
    #expect(transaction.changes.last?.identifier.integerKey == 7)
    let typed = try store.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(typed.map(\.transactionIdentifier) == [1])
    try store.close()
    try expectNothingLost()
  }

  @Test func `has one limit for the keys of all groups`() throws {
    let group = #"{"insert":"Item","keys":[[1,2147483647]]}"#
    let line = #"{"number":1,"time":{"$date":0},"changes":["# + group + "," + group + "]}"
    _ = try write(history, by: #"{"transactions":[\#(line)]}"#)
    #expect(throws: DataStoreError.storeDamaged) {
      try fixture.open().transactions(StoreHistoryQuery())
    }
    try expectNothingLost()
  }

  @Test func `is refused if it lists an entity twice`() throws {
    let bytes = try write("\"Other\": []", by: "\"Other\": [],\"Other\": []")
    let error = try #require(throws: DataStoreError.self) { try fixture.open() }
    #expect(error == .storeDamaged)
    #expect(error.message.contains("the key \"Other\" occurs twice"), "\(error)")
    #expect(error.file == fixture.url.path)
    #expect(try Data(contentsOf: fixture.url) == bytes)
    try expectNothingLost()
  }

  @Test func `is refused if it is larger than the configuration allows`() throws {
    var configuration = fixture.configuration()
    configuration.maximumDocumentSize = whole.utf8.count - 1
    let error = try #require(throws: DataStoreError.self) {
      try JSONFileStore(configuration, migrationPlan: nil)
    }
    #expect(error == .invalidConfiguration)
    #expect(error.message.contains("the document has \(whole.utf8.count) bytes"))
    #expect(error.file == fixture.url.path)
    try expectNothingLost()
  }
}
