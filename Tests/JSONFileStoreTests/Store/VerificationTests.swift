import Foundation
import JSONFileStore
import StoreProtocol
import Testing

@Suite struct VerificationTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// Creates a store with related rows of all entities, and closes it.
  private func fill() throws {
    let store = try fixture.open()
    let rows = try store.insert(
      newRow(["name": .string("a"), "number": .integer(1)]),
      newRow(["name": .string("b"), "day": .date(Date(timeIntervalSinceReferenceDate: 0.5))])
    )
    try store.insert(newRow(["name": .string("c"), "note": .string("n")], entity: "Special"))
    try store.insert(newRow(["size": .integer(3)], entity: "Other"))
    try store.update(rows[1], ["parent": .identifier(rows[0]), "friends": .identifiers(rows)])
    try store.close()
  }

  /// Edits the document of a closed store.
  private func edit(_ from: String, _ to: String) throws {
    let text = try fixture.text(fixture.url)
    let edited = text.replacingOccurrences(of: from, with: to)
    try #require(edited != text, "there is no \(from)")
    try Data(edited.utf8).write(to: fixture.url)
  }

  private func location(_ problem: StoreProblem) -> String {
    let object = problem.identifier?.integerKey.map { "\(problem.entity ?? "")/\($0)" }
    return (object ?? problem.entity ?? "") + (problem.property.map { ".\($0)" } ?? "")
  }

  @Test func `a valid store has no problems, with and without a journal`() throws {
    let store = try fixture.open()
    #expect(try store.verify() == [])
    let rows = try store.insert(newRow(["name": .string("a")]), newRow(["name": .string("b")]))
    try store.update(rows[0], ["children": .identifiers([rows[1]]), "number": .integer(2)])
    #expect(try store.verify() == [])
    try store.compact()
    #expect(try store.verify() == [])
    try store.delete(rows[0])
    #expect(try store.verify() == [])
    try store.close()
    #expect(try fixture.open(allowsSave: false).verify() == [])
  }

  @Test func `verifying a closed store throws`() throws {
    let store = try fixture.open()
    try store.close()
    #expect(throws: DataStoreError.storeClosed) { try store.verify() }
  }

  @Test func `each invalid value is reported with its row, line and column`() throws {
    try fill()
    try edit("\"number\":1", "\"number\":\"one\",\"flag\":7,\"colour\":\"red\"")
    try edit("2001-01-01T00:00:00.500Z", "yesterday")
    try edit("\"size\":3", "\"size\":70000")
    let problems = try fixture.open().verify()
    #expect(
      Set(problems.map(location))
        == ["Item/1.number", "Item/1.flag", "Item/1", "Item/2.day", "Other/4.size"]
    )
    for problem in problems {
      #expect(problem.message.hasPrefix("line "), "\(problem)")
      #expect(problem.file == fixture.url.path(percentEncoded: false))
    }
    let lines = try fixture.text(fixture.url).split(separator: "\n")
    let line = try #require(lines.firstIndex { $0.contains("yesterday") })
    let value = try #require(lines[line].range(of: "\"yesterday"))
    let column = lines[line][..<value.lowerBound].unicodeScalars.count
    let location = "line \(line + 1), column \(column + 1): "
    #expect(problems.contains { $0.property == "day" && $0.message.hasPrefix(location) })
  }

  @Test func `invalid, missing and repeated keys are reported`() throws {
    try fill()
    try edit("\"$id\":2", "\"$id\":4")
    try edit("\"$id\":3,", "")
    let problems = try fixture.open().verify()
    #expect(problems.contains { $0.message.contains("another row, of Item, has the \"$id\" 4") })
    #expect(problems.contains { $0.message.contains("lacks the key \"$id\"") })
    try edit("\"nextKey\": 5", "\"nextKey\": 4")
    #expect(try fixture.open().verify().contains { $0.message.contains("below \"nextKey\"") })
  }

  @Test func `rows of one entity with the same key are reported`() throws {
    try fill()
    try edit("\"$id\":2", "\"$id\":1")
    let problems = try fixture.open().verify()
    #expect(problems.contains { $0.message.contains("another row, of Item, has the \"$id\" 1") })
  }

  @Test func `invalid references are reported, references to deleted rows are not`() throws {
    try fill()
    try edit("\"parent\":1", "\"parent\":4,\"children\":[2,99]")
    let problems = try fixture.open().verify()
    #expect(problems.map(location) == ["Item/2.parent", "Item/2.children"])
    #expect(problems.map(\.message).contains("the key 4 belongs to a row of Other"))
    #expect(problems.map(\.message).contains("the key 99 refers to a row that never existed"))
    try edit("\"parent\":4,\"children\":[2,99]", "\"parent\":1")
    let store = try fixture.open()
    try store.delete(try store.all()[0].persistentIdentifier)
    #expect(try store.verify() == [])
  }

  @Test func `a required reference to a deleted row is no problem`() throws {
    let relationship = StoreRelationship(destination: "Node")
    let node = StoreEntity(
      name: "Node",
      properties: [StoreProperty(name: "next", kind: .toOne(relationship))]
    )
    func new(_ next: StoreValue) -> DefaultSnapshot {
      let key = PersistentIdentifier.Key.temporary(PersistentIdentifier.nextTemporaryNumber())
      let identifier = PersistentIdentifier(key, of: "Node")
      return DefaultSnapshot(persistentIdentifier: identifier, entity: node, values: [next])
    }
    let store = try fixture.open(schema: Schema(storeSchema: StoreSchema(entities: [node])))
    let row = try #require(try store.insert(new(.null)).first)
    try store.insert(new(.identifier(row)))
    try store.delete(row)
    #expect(try store.verify() == [])
  }

  @Test func `equal values of a unique property are reported`() throws {
    try fill()
    try edit("\"name\":\"c\"", "\"name\":\"a\"")
    let problems = try fixture.open(allowsSave: false).verify()
    #expect(problems.map(location) == ["Special/3.name"])
  }

  @Test(arguments: [nil, "{ \"$id\":1,"])
  func `equal values of a unique property are refused when the store opens for writing`(
    row: String?
  ) throws {
    try fill()
    // A row in another form than the store's is read later.
    if let row { try edit("{\"$id\":1,", row) }
    try edit("\"name\":\"c\"", "\"name\":\"a\"")
    let bytes = try Data(contentsOf: fixture.url)
    let error = #expect(throws: DataStoreError.self) { try fixture.open() }
    #expect(error == .storeDamaged && error?.entity == "Item" && error?.property == "name")
    #expect(error?.message.contains("the rows 1 and 3 have the same unique name") == true)
    #expect(try Data(contentsOf: fixture.url) == bytes)
    #expect(try fixture.open(allowsSave: false).content().isEmpty == false)
    try edit("\"name\":\"b\"", "\"name\":\"c\"")
    try edit("\"$id\":3,\"name\":\"a\"", "\"$id\":3,\"name\":\"b\"")
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("b"), "number": .integer(9)]))
    #expect(try store.count(StoreQuery(entity: "Item")) == 3)
  }

  @Test func `a document that changed on disk is reported`() throws {
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("a")]))
    try store.compact()
    // The size and time are unchanged, as after a bit error on the disk.
    let times = try FileManager.default.attributesOfItem(atPath: fixture.url.path)
    let handle = try FileHandle(forWritingTo: fixture.url)
    let text = try fixture.text(fixture.url)
    let range = try #require(text.range(of: "\"name\":\"a\""))
    let position = text.utf8.distance(from: text.startIndex, to: range.upperBound) - 2
    try handle.seek(toOffset: UInt64(position))
    try handle.write(contentsOf: Data("z".utf8))
    try handle.close()
    try FileManager.default.setAttributes(
      [.modificationDate: times[.modificationDate] as Any],
      ofItemAtPath: fixture.url.path
    )
    do {
      let problems = try store.verify()
      #expect(problems.map(\.message) == ["the document differs from what the store wrote"])
    } catch DataStoreError.storeReplaced {
      // If the time cannot be set to the nanosecond, the store detects the difference first.
    }
  }

  @Test func `a journal that is damaged while the store is open is reported`() throws {
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("a")]))
    try store.insert(newRow(["name": .string("b")]))
    let bytes = try fixture.records()
    let handle = try FileHandle(forWritingTo: fixture.journal)
    try handle.seek(toOffset: UInt64(bytes.count - 5))
    try handle.write(contentsOf: Data("?".utf8))
    try handle.close()
    let problems = try store.verify()
    #expect(problems.count == 1)
    #expect(problems.first?.file == fixture.journal.path(percentEncoded: false))
  }

  @Test func `the number of reported problems is limited`() throws {
    let store = try fixture.open()
    for _ in 0..<300 { try store.insert(newRow(["number": .integer(5)])) }
    try store.close()
    try edit("\"number\":5}", "\"number\":false}")
    let problems = try fixture.open().verify()
    #expect(problems.count == JSONFileStore.mostProblems + 1)
  }

  @Test func `verification changes nothing`() throws {
    try fill()
    try edit("\"number\":1", "\"number\":null,\"number\":1")
    let before = try Data(contentsOf: fixture.url)
    #expect(try fixture.open().verify().count == 1)
    #expect(try Data(contentsOf: fixture.url) == before)
    #expect(try fixture.names == ["items.json"])
  }

  @Test func `rows of an entity that the schema lacks are refused, not dropped`() throws {
    try fill()
    try edit("\"Other\": [\n", "\"Othr\": [\n")
    #expect(throws: DataStoreError.storeDamaged) { try fixture.open() }
  }

  @Test func `missing and changed value files are reported`() throws {
    let store = try fixture.openFiles()
    _ = try store.apply(
      StoreChanges(
        inserted: ["a", "b", "c"].map { DataFileSample.record($0, DataFileSample.data(500)) }
      )
    )
    #expect(try store.verify() == [])
    let files = fixture.dataFiles.map { fixture.dataFolder.appending(path: $0) }
    try FileManager.default.removeItem(at: files[0])
    try Data(repeating: 8, count: 500).write(to: files[1])
    let problems = try store.verify()
    #expect(problems.count == 2)
    #expect(problems.allSatisfy { $0.property == "photo" && $0.entity == "Picture" })
    #expect(problems.allSatisfy { $0.file?.contains("items.json.files") ?? false })
  }
}
