import Foundation
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite struct JournalTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// Saves three times, and returns the sizes of the journal and the contents after each save.
  private func threeSaves(
    durability: StoreCapabilities.Durability = .full
  ) throws -> (copy: StoreFixture, sizes: [Int], contents: [[DefaultSnapshot]]) {
    let store = try fixture.open(durability: durability)
    var sizes: [Int] = []
    var contents: [[DefaultSnapshot]] = []
    for name in ["a", "b", "c"] {
      try store.insert(newRow(["name": .string(name), "number": .integer(7)]))
      sizes.append(try fixture.records().count)
      contents.append(try store.content())
    }
    return (try fixture.copy(), sizes, contents)
  }

  @Test func `a journal truncated in its last record has the previous state`() throws {
    let (copy, sizes, contents) = try threeSaves()
    let whole = try copy.records()
    for size in sizes[1]...sizes[2] {
      let cut = try copy.copy()
      try whole.prefix(size).write(to: cut.journal)
      let store = try cut.open()
      #expect(try store.content() == contents[size == sizes[2] ? 2 : 1], "\(size)")
      #expect(try store.insert(newRow([:])).first?.integerKey == (size == sizes[2] ? 4 : 3))
    }
  }

  @Test func `a record torn at any byte is discarded`() throws {
    let (copy, sizes, contents) = try threeSaves()
    let file = try Data(contentsOf: copy.journal)
    #expect(file.count > sizes[2])
    for size in sizes[1]..<sizes[2] {
      let torn = try copy.copy()
      var bytes = file
      bytes.replaceSubrange(size..<sizes[2], with: Data(repeating: 0x20, count: sizes[2] - size))
      try bytes.write(to: torn.journal)
      let store = try torn.open()
      // The preallocated space contains blanks.
      #expect(try store.content() == contents[1], "\(size)")
      #expect(try store.insert(newRow([:])).first?.integerKey == 3)
    }
  }

  @Test func `records are written into preallocated space, which grows in steps`() throws {
    let store = try fixture.open()
    var sizes: Set<Int> = []
    for number in Int64(0)..<1_000 {
      try store.insert(newRow(["number": .integer(number)]))
      sizes.insert(try Data(contentsOf: fixture.journal).count)
    }
    #expect(try fixture.records().count > 100_000)
    #expect(sizes.allSatisfy { $0.isMultiple(of: 4 << 10) })
    #expect(sizes.filter { $0 > 64 << 10 }.allSatisfy { $0.isMultiple(of: 64 << 10) })
    #expect(sizes.count < 24)
    #expect(try fixture.copy().open().content() == store.content())
    #expect(try store.verify() == [])
  }

  @Test func `a journal without syncs has no preallocated space`() throws {
    let store = try fixture.open(durability: .relaxed)
    try store.insert(newRow(["name": .string("a")]))
    #expect(try fixture.records() == Data(contentsOf: fixture.journal))
  }

  @Test func `a journal without preallocated space gets it with the next record`() throws {
    let (copy, sizes, _) = try threeSaves()
    try Data(contentsOf: copy.journal).prefix(sizes[2]).write(to: copy.journal)
    let store = try copy.open()
    try store.insert(newRow(["name": .string("d")]))
    #expect(try Data(contentsOf: copy.journal).count == 4 << 10)
    #expect(try copy.copy().open().content() == store.content())
  }

  @Test func `bytes after the last complete record are discarded`() throws {
    let (copy, sizes, contents) = try threeSaves()
    let whole = try copy.records()
    for tail in [
      Data(repeating: 0, count: 500), Data("\n\n\n".utf8), Data(repeating: 0xFF, count: 30),
      whole.suffix(whole.count - sizes[1]).dropLast(), Data("0000000002 00000000 {}\n".utf8),
    ] {
      let cut = try copy.copy()
      try (whole.prefix(sizes[1]) + tail).write(to: cut.journal)
      #expect(try cut.open().content() == contents[1])
    }
  }

  @Test func `a changed byte before the last record is damage with an offset`() throws {
    let (copy, sizes, _) = try threeSaves()
    let whole = try copy.records()
    for index in Array(stride(from: 0, to: sizes[1], by: 5)) + Array(sizes[1] - 5..<sizes[1]) {
      let damaged = try copy.copy()
      var bytes = whole
      bytes[index] ^= 0x01
      try bytes.write(to: damaged.journal)
      let error = #expect(throws: DataStoreError.self, "\(index)") { try damaged.open() }
      #expect(error == .storeDamaged, "\(index)")
      #expect(error?.file == damaged.journal.path)
      #expect(error?.offset != nil)
      #expect(try Data(contentsOf: damaged.journal) == bytes)
    }
  }

  @Test func `records without syncs are kept up to the first gap`() throws {
    let (copy, sizes, contents) = try threeSaves(durability: .relaxed)
    var bytes = try Data(contentsOf: copy.journal)
    bytes.replaceSubrange(
      sizes[0] + 5..<sizes[1] - 5,
      with: Data(repeating: 0, count: sizes[1] - sizes[0] - 10)
    )
    try bytes.write(to: copy.journal)
    #expect(try copy.open(durability: .relaxed).content() == contents[0])
  }

  @Test func `a journal of another store is refused`() throws {
    let (copy, _, _) = try threeSaves()
    let other = try StoreFixture()
    do { _ = try other.open() }
    let bytes = try Data(contentsOf: copy.journal)
    try bytes.write(to: other.journal)
    #expect(throws: DataStoreError.storeDamaged) { try other.open() }
    #expect(try Data(contentsOf: other.journal) == bytes)
  }

  @Test func `a journal of an earlier state is ignored and removed`() throws {
    let (copy, _, contents) = try threeSaves()
    let old = try Data(contentsOf: copy.journal)
    do { _ = try copy.open() }
    #expect(try copy.names == ["items.json"])
    try old.write(to: copy.journal)
    #expect(try copy.open().content() == contents[2])
    #expect(try copy.names == ["items.json"])
  }

  @Test func `a document older than its journal is refused`() throws {
    let (copy, _, _) = try threeSaves()
    let document = try Data(contentsOf: copy.url)
    do {
      let store = try copy.open()
      try store.compact()
      try store.insert(newRow([:]))
      let later = try copy.copy()
      try document.write(to: later.url)
      #expect(throws: DataStoreError.storeDamaged) { try later.open() }
    }
  }

  @Test func `a document that is edited while its journal has changes is refused`() throws {
    let (copy, _, _) = try threeSaves()
    let text = try copy.text(copy.url)
    try Data((text + "\n").utf8).write(to: copy.url)
    #expect(throws: DataStoreError.storeDamaged) { try copy.open() }
    try FileManager.default.removeItem(at: copy.journal)
    #expect(try copy.open().content() == [])
  }

  @Test func `a journal without its document is refused`() throws {
    let (copy, _, _) = try threeSaves()
    try FileManager.default.removeItem(at: copy.url)
    #expect(throws: DataStoreError.storeDamaged) { try copy.open() }
    #expect(try copy.names == ["items.json.journal"])
  }

  @Test func `a journal of a later format is refused`() throws {
    let (copy, _, _) = try threeSaves()
    let header = "{\"format\":\"OpenSwiftData journal\",\"version\":4}"
    try JSONFileStore.firstRecord(ofJournal: header).write(to: copy.journal)
    #expect(throws: DataStoreError.storeTooNew) { try copy.open() }
  }

  @Test func `a save writes bytes in proportion to the change`() throws {
    let store = try fixture.open()
    for _ in 0..<50 { try store.insert(newRow(["name": .string(UUID().uuidString)])) }
    try store.compact()
    let rows = try store.all()
    try store.update(rows[0].persistentIdentifier, ["number": .integer(1)])
    let first = try fixture.records().count
    try store.update(rows[1].persistentIdentifier, ["number": .integer(1)])
    #expect(try fixture.records().count - first < 350)
  }

  @Test func `a journal above its limit is checkpointed`() throws {
    var configuration = fixture.configuration()
    configuration.journalLimit = 2000
    let store = try JSONFileStore(configuration, migrationPlan: nil)
    for number in Int64(0)..<200 { try store.insert(newRow(["number": .integer(number)])) }
    let size = (try? fixture.records().count) ?? 0
    #expect(size < 2500)
    #expect(try fixture.copy().open().content() == store.content())
  }

  @Test(arguments: [UInt64(1), 2])
  func `a damaged journal is refused or has a saved state`(seed: UInt64) throws {
    let (copy, _, contents) = try threeSaves()
    let whole = try copy.records()
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[index] = .random(in: 0...255, using: &generator)
        case 1: bytes.insert(.random(in: 0...255, using: &generator), at: index)
        default: bytes.remove(at: index)
        }
      }
      try bytes.write(to: copy.journal)
      do {
        let content = try copy.open(allowsSave: false).content()
        #expect(content.isEmpty || contents.contains(content))
      } catch let error as DataStoreError {
        #expect(error == .storeDamaged)
      }
    }
  }
}
