import Foundation
import JSONFileStore
import StoreFiles
import StoreProtocol
import Testing

@Suite struct JSONFileStoreTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  static let rich: [String: StoreValue] = [
    "name": .string("Žluťoučký \"kůň\"\n\u{1F600}\0"), "flag": .bool(true),
    "small": .integer(-128), "number": .integer(.min), "big": .unsigned(.max),
    "ratio": .double(-0.0), "price": .decimal(Decimal(string: "-12345678901234567.89") ?? 0),
    "day": .date(Date(timeIntervalSinceReferenceDate: 378_709_200.123456)),
    "blob": .data(Data([0, 255, 10])), "tag": .uuid(UUID()),
    "link": .string("https://example.org/?q=\"x\""),
    "extra": .composite([
      .init("a", .array([.null, .bool(false), .integer(1), .double(1), .unsigned(.max)])),
      .init("$b", .composite([])), .init("c", .date(.distantPast)),
      .init("d", .decimal(1.5)), .init("e", .data(Data([1]))), .init("f", .double(.infinity)),
      .init("g", .uuid(UUID())), .init("h", .string("")),
    ]),
  ]

  @Test func `values of all types are read back from journal and document`() throws {
    var store: JSONFileStore? = try fixture.open()
    let identifiers = try store?.insert(newRow(Self.rich), newRow([:])) ?? []
    let before = try store?.content()
    let crashed = try fixture.copy()
    store = nil
    #expect(try fixture.names == ["items.json"])
    for fixture in [fixture, crashed] {
      let row = try #require(try fixture.open().all().first)
      #expect(row.persistentIdentifier == identifiers.first)
      for (name, value) in Self.rich { #expect(row[name] == value, "\(name)") }
      #expect(try fixture.open().content() == before)
    }
  }

  @Test(arguments: [
    StoreValue.double(.nan), .double(.infinity), .double(-.infinity),
    .double(.leastNonzeroMagnitude),
    .double(.greatestFiniteMagnitude), .double(Double(bitPattern: 0x7FF8_0000_0000_0001)),
    .double(0.1), .double(3),
  ])
  func `floating-point numbers are read back bit for bit`(value: StoreValue) throws {
    do { try fixture.open().insert(newRow(["ratio": value, "extra": value])) }
    let row = try #require(try fixture.open().all().first)
    #expect(row["ratio"] == value)
    #expect(row["extra"] == value)
  }

  // Intervals and not dates, because Foundation traps when it describes a date that is NaN.
  @Test(arguments: [
    Date.distantPast.timeIntervalSinceReferenceDate, Double.nan, -.infinity, 1e-300, 1e300, -0.0,
    Date.distantFuture.timeIntervalSinceReferenceDate,
  ])
  func `dates are read back bit for bit`(interval: Double) throws {
    let date = StoreValue.date(Date(timeIntervalSinceReferenceDate: interval))
    do { try fixture.open().insert(newRow(["day": date, "extra": date])) }
    let row = try #require(try fixture.open().all().first)
    let isSame = row["day"] == date && row["extra"] == date
    #expect(isSame)
  }

  @Test func `identifiers are stable and keys are never reused`() throws {
    var first: [PersistentIdentifier] = []
    do {
      let store = try fixture.open()
      first = try store.insert(newRow([:]), newRow([:], entity: "Other"), newRow([:]))
      #expect(first.map(\.integerKey) == [1, 2, 3])
      try store.delete(first[2])
    }
    do {
      let store = try fixture.open()
      #expect(try store.insert(newRow([:])).map(\.integerKey) == [4])
      try store.erase()
      #expect(try store.content() == [])
      #expect(try store.insert(newRow([:])).map(\.integerKey) == [5])
    }
    let store = try fixture.open()
    #expect(try store.insert(newRow([:])).map(\.integerKey) == [6])
    #expect(first.allSatisfy { $0.storeIdentifier == store.identifier })
  }

  @Test func `an update replaces only the named properties`() throws {
    var identifiers: [PersistentIdentifier] = []
    do {
      let store = try fixture.open()
      identifiers = try store.insert(newRow(["name": .string("a"), "number": .integer(1)]))
      try store.update(identifiers[0], ["number": .integer(2)])
      try store.update(identifiers[0], ["name": .null, "flag": .bool(true)])
    }
    let row = try #require(try fixture.open().all().first)
    #expect(row["name"] == .null)
    #expect(row["number"] == .integer(2))
    #expect(row["flag"] == .bool(true))
  }

  @Test func `an update of a deleted row is a conflict and changes nothing`() throws {
    let store = try fixture.open()
    let identifiers = try store.insert(newRow(["name": .string("a")]))
    try store.delete(identifiers[0])
    let fresh = newRow(["name": .string("b")])
    #expect(throws: DataStoreError.conflict) {
      try store.apply(
        StoreChanges(
          inserted: [fresh],
          updated: [StoreUpdate(identifier: identifiers[0], changes: [.init(0, .null)])]
        )
      )
    }
    #expect(try store.content() == [])
    try store.delete(identifiers[0])
  }

  @Test func `a value of the wrong type is refused and nothing is written`() throws {
    let store = try fixture.open()
    for (name, value): (String, StoreValue) in [
      ("small", .integer(128)), ("number", .string("1")), ("day", .double(1)),
      ("tag", .data(Data())),
    ] {
      #expect(throws: DataStoreError.invalidValue) {
        try store.insert(newRow(["name": .string("x")]), newRow([name: value]))
      }
    }
    var deep = StoreValue.array([])
    for _ in 0..<100 { deep = .array([deep]) }
    let error = #expect(throws: DataStoreError.invalidValue) {
      try store.insert(newRow(["extra": deep]))
    }
    #expect(error?.entity == "Item" && error?.property == "extra")
    #expect(try store.content() == [])
    #expect(try fixture.names == ["items.json"])
  }

  @Test func `a query applies filter, order and window`() throws {
    let store = try fixture.open()
    for number in [3, 1, 2, 5, 4] { try store.insert(newRow(["number": .integer(Int64(number))])) }
    let query = StoreQuery(
      entity: "Item",
      filter: .compare(.greater, .property(.element(0), "number"), .constant(.integer(1))),
      sort: [QuerySort(property: "number", isReversed: true)],
      offset: 1,
      limit: 2
    )
    #expect(try store.fetch(query).map { $0["number"] } == [.integer(4), .integer(3)])
    #expect(try store.identifiers(query).map(\.integerKey) == [5, 1])
    #expect(try store.count(query) == 2)
    #expect(try store.count(StoreQuery(entity: "Item", offset: 2)) == 3)
    var read: [Int64] = []
    try store.read(query) { reader in
      let index = try #require(reader.entity.indexByName["number"])
      read.append(try reader.integer(at: index))
    }
    #expect(read == [4, 3])
  }

  @Test func `rows in a scattered order are announced for prefetching, others are not`() throws {
    let store = try fixture.open()
    let rows = (0..<150).map { newRow(["size": .integer(Int64($0 * 37 % 150))], entity: "Other") }
    _ = try store.apply(StoreChanges(inserted: rows))
    func read(_ sort: [QuerySort]) throws -> (keys: [Int64], announced: [Int64]) {
      var read: (keys: [Int64], announced: [Int64]) = ([], [])
      try store.read(StoreQuery(entity: "Other", sort: sort)) { reader in
        let identifier = reader.identifier
        read.keys.append(identifier.integerKey ?? 0)
        if let first = reader.keysToPrefetch.first { #expect(first == identifier.integerKey) }
        read.announced += reader.keysToPrefetch
        reader.keysToPrefetch = []
      }
      return read
    }
    let sorted = try read([QuerySort(property: "size")])
    #expect(sorted.keys.count == 150 && sorted.announced == sorted.keys)
    #expect(sorted.keys != sorted.keys.sorted())
    #expect(try read([]).announced.isEmpty)
  }

  @Test func `rows of subentities are included unless the query excludes them`() throws {
    let store = try fixture.open()
    let identifiers = try store.insert(
      newRow(["name": .string("s"), "note": .string("n")], entity: "Special"),
      newRow(["name": .string("i")])
    )
    #expect(try store.all("Item").map(\.persistentIdentifier) == identifiers)
    #expect(try store.all("Special").map(\.persistentIdentifier) == [identifiers[0]])
    let alone = StoreQuery(entity: "Item", includesSubentities: false)
    #expect(try store.identifiers(alone) == [identifiers[1]])
    let byBase = PersistentIdentifier(
      scope: .init(storeIdentifier: store.identifier, entityName: "Item"),
      key: identifiers[0].key
    )
    let found = try store.fetch(.rows([byBase], of: "Item"))
    #expect(found.first?["note"] == .string("n"))
    #expect(found.first?.persistentIdentifier.entityName == "Special")
  }

  @Test func `the schema is read from the document`() throws {
    do { try fixture.open().insert(newRow(["name": .string("a")])) }
    let store = try fixture.open(schema: nil)
    #expect(store.schema.storeSchema == StoreFixture.storeSchema)
    #expect(try store.names() == ["string(\"a\")"])
  }

  @Test func `a document has one store in a process`() throws {
    let first = try fixture.open()
    let second = try fixture.open()
    try first.insert(newRow(["name": .string("a")]))
    #expect(try second.count(StoreQuery(entity: "Item")) == 1)
    let renamed = StoreSchema(
      version: "9.0.0",
      entities: StoreFixture.storeSchema.entities
    )
    let third = try fixture.open(schema: Schema(storeSchema: renamed))
    #expect(try third.count(StoreQuery(entity: "Item")) == 1)
    #expect(throws: DataStoreError.invalidConfiguration) { try fixture.open(durability: .relaxed) }
    #expect(throws: DataStoreError.schemaMismatch) {
      try fixture.open(schema: Schema(storeSchema: StoreSchema(entities: [])))
    }
  }

  @Test func `a read-only store refuses changes and writes no file`() throws {
    do { try fixture.open().insert(newRow(["name": .string("a")])) }
    let before = try fixture.text(fixture.url)
    let store = try fixture.open(allowsSave: false)
    #expect(throws: DataStoreError.storeReadOnly) { try store.insert(newRow([:])) }
    #expect(throws: DataStoreError.storeReadOnly) { try store.erase() }
    #expect(throws: DataStoreError.storeReadOnly) { try store.compact() }
    #expect(try store.count(StoreQuery(entity: "Item")) == 1)
    #expect(try fixture.text(fixture.url) == before)
  }

  @Test func `a store that is open for reading can be opened for writing, and shows its saves`()
    throws
  {
    do { try fixture.open().insert(newRow(["name": .string("a")])) }
    let reader = try fixture.open(allowsSave: false)
    try reader.readingOneState {
      let writer = try fixture.open()
      try writer.insert(newRow(["name": .string("b")]))
      #expect(try reader.all().count == 1)
    }
    #expect(try reader.all().count == 2)
    #expect(throws: DataStoreError.storeReadOnly) { try reader.insert(newRow([:])) }
    let writer = try fixture.open()
    try writer.insert(newRow(["name": .string("c")]))
    #expect(try reader.content() == writer.content())
    try writer.close()
    #expect(throws: DataStoreError.storeClosed) { try reader.all() }
    #expect(try fixture.open().all().count == 3)
  }

  @Test func `a store that is open for reading stays open if it cannot be opened for writing`()
    throws
  {
    do { try fixture.open().insert(newRow(["name": .string("a")])) }
    let reader = try fixture.open(allowsSave: false)
    var configuration = fixture.configuration()
    configuration.busyTimeout = 0
    // As another process that reads.
    var other: StoreLock? = try StoreLock(
      of: fixture.url.lastPathComponent,
      in: Folder(path: fixture.folder.path),
      exclusively: false
    )
    #expect(throws: DataStoreError.storeBusy) {
      try JSONFileStore(configuration, migrationPlan: nil)
    }
    #expect(try reader.all().count == 1)
    #expect(other != nil)
    other = nil
    // The reader has its lock again, and is replaced.
    let writer = try JSONFileStore(configuration, migrationPlan: nil)
    try writer.insert(newRow(["name": .string("b")]))
    #expect(try reader.all().count == 2)
  }

  @Test func `a closed store refuses operations and can be opened again`() throws {
    let store = try fixture.open()
    try store.insert(newRow(["name": .string("a")]))
    try store.close()
    #expect(throws: DataStoreError.storeClosed) { try store.all() }
    #expect(throws: DataStoreError.storeClosed) { try store.insert(newRow([:])) }
    #expect(try fixture.open().count(StoreQuery(entity: "Item")) == 1)
  }

  @Test(arguments: StoreCapabilities.Durability.allCases)
  func `saves are kept at every durability level`(
    durability: StoreCapabilities.Durability
  ) throws {
    do {
      let store = try fixture.open(durability: durability)
      try store.insert(newRow(["name": .string("a")]))
      try store.insert(newRow(["name": .string("b")]))
      #expect(try fixture.copy().open(durability: durability).content() == store.content())
    }
    #expect(try fixture.open(durability: durability).all().count == 2)
  }

  @Test func `an invalid URL is refused`() throws {
    for url in ["https://example.org/a.json", "file:///tmp/osd.journal", "file:///tmp/"] {
      let url = try #require(URL(string: url))
      #expect(throws: DataStoreError.invalidConfiguration) {
        try JSONFileStoreConfiguration(url: url).validate()
      }
    }
  }
}
