import Foundation
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite struct DocumentTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    let store = try fixture.open()
    let parent = newRow([
      "name": .string("parent"), "day": .date(.init(timeIntervalSinceReferenceDate: 0)),
    ])
    try store.insert(
      parent,
      newRow(["name": .string("child"), "parent": .identifier(parent.persistentIdentifier)]),
      newRow(["size": .integer(3)], entity: "Other")
    )
    try store.close()
  }

  private func edit(_ old: String, _ new: String) throws {
    let text = try fixture.text(fixture.url)
    try #require(text.contains(old))
    try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: fixture.url)
  }

  @Test func `a document is JSON with one row on each line and keys in schema order`()
    throws
  {
    let text = try fixture.text(fixture.url)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.contains(#"{"$id":1,"name":"parent","day":"2001-01-01T00:00:00Z"},"#))
    #expect(lines.contains(#"{"$id":2,"name":"child","parent":1}"#))
    #expect(lines.contains(#""Other": ["#))
    let tree = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(tree?["format"] as? String == "OpenSwiftData")
    #expect(tree?["version"] as? Int == 3)
    #expect(tree?["nextKey"] as? Int == 4)
  }

  @Test func `a checkpoint changes only the lines of changed rows`() throws {
    let before = Set(try fixture.text(fixture.url).split(separator: "\n"))
    do {
      let store = try fixture.open()
      try store.update(store.all()[0].persistentIdentifier, ["number": .integer(5)])
    }
    let after = Set(try fixture.text(fixture.url).split(separator: "\n"))
    // The row, the generation, the new transaction, and the comma after the previous one.
    #expect(after.subtracting(before).count == 4)
  }

  @Test func `a document edited by hand opens`() throws {
    try edit(
      #"{"$id":2,"name":"child","parent":1}"#,
      """
      { "parent" : 1,
        "name" : "ch\\u0069ld", "flag": null, "ratio": 5, "day": "2013-01-01T06:00:00+01:00",
        "price": 1.50, "$id": 2 }
      """
    )
    let row = try #require(try fixture.open().all().last)
    #expect(row["name"] == .string("child"))
    #expect(row["ratio"] == .double(5))
    #expect(row["price"] == .decimal(1.5))
    #expect(row["day"] == .date(Date(timeIntervalSinceReferenceDate: 378_709_200)))
  }

  @Test func `rows reordered by hand are read in the order of their keys`() throws {
    try edit("{\"$id\":2,\"name\":\"child\",\"parent\":1}", "{\"$id\":2,\"name\":\"first\"}")
    let text = try fixture.text(fixture.url)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let first = try #require(lines.firstIndex { $0.hasPrefix("{\"$id\":1") })
    var swapped = lines
    swapped[first] = lines[first + 1] + ","
    swapped[first + 1] = String(lines[first].dropLast())
    try Data(swapped.joined(separator: "\n").utf8).write(to: fixture.url)
    let store = try fixture.open()
    #expect(try store.all().map(\.persistentIdentifier.integerKey) == [1, 2])
    #expect(
      try store.fetch(.rows(store.identifiers(StoreQuery(entity: "Item")), of: "Item")).count == 2
    )
  }

  @Test(arguments: [
    (#""name":"child""#, #""name":5"#), (#""name":"child""#, #""nmae":"child""#),
    (#""name":"child""#, #""name":"child","name":"x""#), (#""$id":2"#, #""$id":1"#),
    (#""$id":2"#, #""$id":4"#), (#""$id":2"#, #""$id":0"#), (#""$id":2"#, #""$id":1.5"#),
    (#"{"$id":2,"#, "{"), (#""parent":1"#, #""parent":"1""#), (#""parent":1"#, #""small":128"#),
    (#""parent":1"#, #""small":1.5"#), (#""parent":1"#, #""ratio":1e400"#),
    (#""parent":1"#, #""day":"yesterday""#), (#""parent":1"#, #""tag":"x""#),
    (#""parent":1"#, #""blob":"*""#), (#""parent":1"#, #""price":"1,5""#),
    (#""parent":1"#, #""price":"123456789012345678901234567890123456789012345""#),
    (#""parent":1"#, #""flag":1"#), (#""parent":1"#, #""big":-1"#),
    (#""parent":1"#, #""friends":[1,"2"]"#), (#""parent":1"#, #""extra":{"$what":1}"#),
    (#""parent":1"#, #""extra":{"a":1,"a":2}"#), (#""parent":1"#, #""$id":2"#),
  ])
  func `a malformed row is refused with line and offset`(old: String, new: String) throws {
    try edit(old, new)
    let bytes = try Data(contentsOf: fixture.url)
    let store = try fixture.open()
    let error = #expect(throws: DataStoreError.self) { try store.all() }
    #expect(error == .storeDamaged)
    #expect(error?.message.contains("line 1") == true)
    #expect(error?.offset != nil)
    #expect(try store.all("Other").count == 1)
    try store.close()
    #expect(try Data(contentsOf: fixture.url) == bytes)
  }

  @Test(arguments: [
    ("\"version\": 3", "\"version\": 4", DataStoreError.storeTooNew),
    ("\"version\": 3", "\"version\": \"3\"", .storeDamaged),
    ("OpenSwiftData", "Other", .storeNotTrusted), ("\"nextKey\": 4,", "", .storeDamaged),
    ("\"nextKey\": 4", "\"nextKey\": 0", .storeDamaged),
    ("\"nextKey\"", "\"nexKey\"", .storeDamaged),
    ("\"entities\": {", "\"entities\": [", .storeDamaged),
    ("\"nextKey\": 4", "\"nextKey\": 4, \"nextKey\": 4", .storeDamaged),
    ("\"store\": \"", "\"store\": \"\", \"x\": \"", .storeDamaged),
    ("\"schema\": {", "\"schema\": 1, \"x\": {", .storeDamaged),
  ])
  func `a malformed envelope is refused`(old: String, new: String, expected: DataStoreError) throws
  {
    try edit(old, new)
    let bytes = try Data(contentsOf: fixture.url)
    #expect(throws: expected) { try fixture.open() }
    #expect(try Data(contentsOf: fixture.url) == bytes)
  }

  @Test func `a truncated document is refused and unchanged`() throws {
    let whole = try Data(contentsOf: fixture.url)
    let rows = try #require(whole.range(of: Data("\"entities\": {\n".utf8))).lowerBound
    // The schema is long and decoded by Foundation: a sample of its offsets is enough.
    let sizes = Array(stride(from: 0, to: rows, by: 29)) + Array(rows..<whole.count - 1)
    for size in sizes {
      try whole.prefix(size).write(to: fixture.url)
      let error = #expect(throws: DataStoreError.self, "\(size)") { try fixture.open() }
      #expect(error == .storeDamaged || error == .storeNotTrusted, "\(size)")
      #expect(try Data(contentsOf: fixture.url).count == size)
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `a damaged document is refused or read without a crash`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let whole = try Data(contentsOf: fixture.url)
    let start = try #require(whole.range(of: Data("\"entities\"".utf8))).lowerBound
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: start..<bytes.count, using: &generator)
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
      try bytes.write(to: fixture.url)
      do {
        let store = try fixture.open(allowsSave: false)
        _ = try store.content()
      } catch let error as DataStoreError {
        #expect([.storeDamaged, .storeNotTrusted, .schemaMismatch].contains(error))
      }
    }
  }

  @Test func `files that are not documents are refused`() throws {
    for text in ["", "[]", "{}", "hello", "{\"format\":\"OpenSwiftData\"}", "\u{FEFF}{}", "null"] {
      try Data(text.utf8).write(to: fixture.url)
      #expect(throws: DataStoreError.storeNotTrusted, "\(text)") { try fixture.open() }
      #expect(try fixture.text(fixture.url) == text)
    }
  }

  @Test func `a document replaced or removed while it is open is not overwritten`() throws {
    let text = try fixture.text(fixture.url)
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("mine")]))
    try Data((text + " ").utf8).write(to: fixture.url, options: .atomic)
    #expect(throws: DataStoreError.storeReplaced) { try store.insert(newRow([:])) }
    #expect(throws: DataStoreError.storeReplaced) { try store.compact() }
    #expect(try fixture.text(fixture.url) == text + " ")
    try FileManager.default.removeItem(at: fixture.url)
    #expect(throws: DataStoreError.storeReplaced) { try store.insert(newRow([:])) }
    #expect(throws: DataStoreError.storeReplaced) { try store.close() }
    #expect(try fixture.names == ["items.json.journal"])
  }

  @Test(arguments: [false, true])
  func `saves are refused while the folder is moved`(isReplaced: Bool) throws {
    let store = try fixture.open()
    let count = try store.count(StoreQuery(entity: "Item"))
    try store.insert(newRow(["name": .string("first")]))
    let manager = FileManager.default
    let away = fixture.folder.deletingLastPathComponent().appending(path: "\(UUID())")
    try manager.moveItem(at: fixture.folder, to: away)
    if isReplaced { try manager.copyItem(at: away, to: fixture.folder) }
    #expect(throws: DataStoreError.storeReplaced) { try store.insert(newRow([:])) }
    if isReplaced { try manager.removeItem(at: fixture.folder) }
    try manager.moveItem(at: away, to: fixture.folder)
    try store.insert(newRow(["name": .string("second")]))
    try store.close()
    #expect(try fixture.open().count(StoreQuery(entity: "Item")) == count + 2)
  }

  @Test func `the first save is refused if another could have taken the lock`() throws {
    let lock = fixture.url.path + ".lock"
    let store = try fixture.open()
    try FileManager.default.removeItem(atPath: lock)
    #expect(throws: DataStoreError.storeReplaced) { try store.insert(newRow([:])) }
    try Data().write(to: URL(filePath: lock))
    #expect(throws: DataStoreError.storeReplaced) { try store.insert(newRow([:])) }
    #expect(try fixture.names == ["items.json"])
  }

  @Test func `a link to a document is followed, and all files are beside the document`() throws {
    let manager = FileManager.default
    let elsewhere = fixture.folder.appending(path: "elsewhere")
    try manager.createDirectory(at: elsewhere, withIntermediateDirectories: false)
    let document = elsewhere.appending(path: "trips.json")
    try manager.moveItem(at: fixture.url, to: document)
    try manager.removeItem(atPath: fixture.url.path + ".lock")
    try manager.createSymbolicLink(at: fixture.url, withDestinationURL: document)
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("linked")]))
    #expect(try fixture.names == ["elsewhere", "items.json"])
    #expect(
      try manager.contentsOfDirectory(atPath: elsewhere.path).sorted()
        == ["trips.json", "trips.json.journal", "trips.json.lock"]
    )
    try store.close()
    #expect(try fixture.text(document).contains("linked"))
    #expect(try manager.destinationOfSymbolicLink(atPath: fixture.url.path) == document.path)
  }

  @Test func `a newer schema can add, rename, widen and drop properties and entities`() throws {
    let other = StoreEntity(
      name: "Other",
      properties: [
        StoreProperty(name: "extent", originalName: "size", kind: .attribute(.int64)),
        StoreProperty(
          name: "unit",
          kind: .attribute(.string),
          defaultValue: .string("m")
        ),
      ]
    )
    let item = StoreEntity(
      name: "Item",
      properties: [StoreProperty(name: "name", kind: .attribute(.string), isOptional: true)]
    )
    let special = StoreEntity(
      name: "Special",
      superentity: "Item",
      root: "Item",
      properties: item.properties
    )
    let fresh = StoreEntity(name: "Fresh", properties: item.properties)
    let schema = Schema(storeSchema: StoreSchema(entities: [other, item, special, fresh]))
    let names = try fixture.open().names()
    do {
      let store = try fixture.open(schema: schema)
      #expect(try store.names() == names)
      let row = try #require(try store.all("Other").first)
      #expect(row["extent"] == .integer(3))
      #expect(row["unit"] == .string("m"))
      #expect(try store.all("Fresh") == [])
    }
    #expect(try fixture.open(schema: nil).schema.storeSchema == schema.storeSchema)
  }

  @Test func `a schema that would lose or reinterpret rows is refused`() throws {
    let bytes = try Data(contentsOf: fixture.url)
    let wrongType = StoreEntity(
      name: "Other",
      properties: [StoreProperty(name: "size", kind: .attribute(.string))]
    )
    let rest = StoreFixture.storeSchema.entities.filter { $0.name != "Other" }
    for entities in [rest, rest + [wrongType]] {
      #expect(throws: DataStoreError.schemaMismatch) {
        try fixture.open(schema: Schema(storeSchema: StoreSchema(entities: entities)))
      }
    }
    #expect(try Data(contentsOf: fixture.url) == bytes)
  }

  @Test func `a missing store is not created for reading or without a schema`() throws {
    let empty = try StoreFixture()
    #expect(throws: DataStoreError.storeNotFound) { try empty.open(allowsSave: false) }
    #expect(throws: DataStoreError.invalidConfiguration) { try empty.open(schema: nil) }
    #expect(try empty.names == [])
  }
}
