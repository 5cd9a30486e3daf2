import Foundation
import StoreHelpers
import StoreProtocol
import Testing

@testable import JSONFileStore

/// Tests of journals with valid checksums and invalid contents.
@Suite("A hostile journal")
struct HostileJournalTests {
  /// The files of a store with one row after a kill.
  private let fixture: StoreFixture
  private let whole: [UInt8]
  private let header: JournalHeader
  /// The ranges of the records.
  private let records: [Range<Int>]

  init() throws {
    let live = try StoreFixture()
    let store = try live.open()
    try store.insert(newRow(["name": .string("kept")]))
    fixture = try live.copy()
    let bytes = try Array(fixture.records())
    let contents = try bytes.withUnsafeBytes { try JournalContents($0, file: "") }
    (whole, header, records) = (bytes, contents.header, contents.records)
  }

  private func framed(_ text: String, number: Int) -> [UInt8] {
    JournalFrame.framed(Array(text.utf8), salt: header.recordSalt, number: number)
  }

  /// Opens a store with a journal, and expects an error that leaves both files unchanged.
  private func refusal(of journal: [UInt8]) throws -> DataStoreError {
    try Data(journal).write(to: fixture.journal)
    let document = try Data(contentsOf: fixture.url)
    let error = try #require(throws: DataStoreError.self) { try fixture.open() }
    #expect(error.file == fixture.journal.path)
    #expect(try Data(contentsOf: fixture.url) == document)
    #expect(try Data(contentsOf: fixture.journal) == Data(journal))
    return error
  }

  /// Restores the original journal, and expects the saved row.
  private func expectNothingLost() throws {
    try Data(whole).write(to: fixture.journal)
    let store = try fixture.open()
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
    #expect(try store.verify() == [])
  }

  @Test(arguments: [
    (#"{"colour":1}"#, "a record cannot have this key"),
    (#"{"next":0}"#, "row keys must be from 1"),
    (#"{"next":4611686018427387905}"#, "row keys must be from 1"),
    (#"{"cut":-1}"#, "save numbers must be from 0"),
    (#"{"history":{"number":9}}"#, "a transaction must have a number and a time"),
    (
      #"{"history":{"number":0,"time":{"$date":0}}}"#, "a transaction must have a number and a time"
    ),
    (#"{"history":{"number":1,"time":{"$date":0}}}"#, "transactions must be in ascending order"),
    (#"{"forget":"all"}"#, "transaction numbers are expected"),
    (#"{"forget":[[3,1]]}"#, "transaction numbers are expected"),
    (#"{"delete":{"Nobody":[1]}}"#, "the schema has no entity Nobody"),
    (#"{"update":{"Nobody":[{"$id":1}]}}"#, "the schema has no entity Nobody"),
    (#"{"next":10,"update":{"Item":[{"$id":9,"name":"x"}]}}"#, "the row 9 does not exist"),
    (#"{"next":10,"insert":{"Item":[{"$id":1,"name":"x"}]}}"#, "the row 1 already exists"),
    (#"{"insert":{"Item":[{"$id":9,"name":"x"}]}}"#, "row keys must be from 1 to 1"),
    (#"{"next":3}{"next":4}"#, "the value is followed by other characters"),
  ])
  func `with an invalid record is refused with its location`(
    text: String,
    message: String
  ) throws {
    let error = try refusal(of: whole + framed(text, number: records.count + 1))
    #expect(error == .storeDamaged)
    #expect(error.message.contains(message), "\(error)")
    #expect(try #require(error.offset) >= whole.count + JournalFrame.headSize)
    #expect(error.cause is JSONError)
    try expectNothingLost()
  }

  @Test(arguments: [
    (#"{"format":7}"#, DataStoreError.storeDamaged, "line 1"),
    (#"{"format":"OpenSwiftData journal","version":"2"}"#, .storeDamaged, "line 1"),
    (#"{"format":"OpenSwiftData journal","synced":1}"#, .storeDamaged, "true or false"),
    ("[]", .storeDamaged, "line 1"),
    (#"{"format":"shopping list","version":1}"#, .storeNotTrusted, "the file is not a journal"),
    (#"{"format":"OpenSwiftData journal"}"#, .storeNotTrusted, "the file is not a journal"),
    (#"{}"#, .storeNotTrusted, "the file is not a journal"),
  ])
  func `whose first record is not a header is refused`(
    text: String,
    code: DataStoreError,
    message: String
  ) throws {
    let bytes = JournalFrame.framed(Array(text.utf8), salt: JournalHeader.salt, number: 0)
    let error = try refusal(of: bytes)
    #expect(error == code)
    #expect(error.message.contains(message), "\(error)")
    try expectNothingLost()
  }

  /// With a cost for each number or pair of records, this test would take days.
  @Test(.timeLimit(.minutes(30)))
  func `opens in linear time, whatever transactions it deletes`() throws {
    var journal = whole
    var number = records.count
    for _ in 0..<20_000 {
      number += 1
      journal += framed(
        #"{"forget":[[2,16777217],[20000000,4611686018427387904]]}"#,
        number: number
      )
    }
    for save in [Int64(5), 6, 7, 900] {
      number += 1
      journal += framed(#"{"history":{"number":\#(save),"time":{"$date":0}}}"#, number: number)
    }
    journal += framed(#"{"forget":[[6,6],[901,4611686018427387904]]}"#, number: number + 1)
    journal += framed(#"{"history":{"number":901,"time":{"$date":0}}}"#, number: number + 2)
    try Data(journal).write(to: fixture.journal)
    let store = try fixture.open()
    #expect(try store.historyBounds().cut == 6)
    let filter = StoreHistoryFilter.number(.greater, 4)
    let last = try store.historyBounds().last
    #expect(last == 901)
    #expect(
      try store.core.currentHistory().entries.filter(filter.matches).map(\.number) == [
        5, 7, 900, 901,
      ]
    )
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
  }

  /// With a checksum for each pair of lines and numbers, this test would take hours.
  @Test(.timeLimit(.minutes(30)))
  func `opens in linear time, however its records overlap`() throws {
    let size = 8 << 20
    let line = "0000000000 00000000 \n".utf8.count
    var tail = [UInt8](repeating: UInt8(ascii: "x"), count: size - 1) + [0x0A]
    for number in 0..<1_000 {
      // Each head claims a length up to the end of the file.
      let length = String(size - number * line - JournalFrame.overhead)
      let digits = String(repeating: "0", count: 10 - length.count) + length
      let head = Array("\(digits) 00000000 \n".utf8)
      tail.replaceSubrange(number * line..<number * line + head.count, with: head)
    }
    try Data(whole + Array("broken\n".utf8) + tail).write(to: fixture.journal)
    let store = try fixture.open()
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
    try store.close()
  }

  @Test(arguments: [1, 2, 5])
  func `is damaged if complete records follow broken ones`(broken: Int) throws {
    var journal = whole
    for step in 1...broken {
      var record = framed(#"{"next":9}"#, number: records.count + step)
      record[JournalFrame.headSize + 2] ^= 1
      journal += record
    }
    journal += framed(#"{"next":9}"#, number: records.count + broken + 1)
    let error = try refusal(of: journal)
    #expect(error == .storeDamaged)
    #expect(error.message.contains("complete records follow"))
    try expectNothingLost()
  }

  @Test func `that changes during use is reported, and compaction repairs it`() throws {
    let store = try fixture.open()
    let bytes = try Array(fixture.records())
    let last = try #require(records.last)
    // The record has the length of the original, so only its contents differ.
    let text = #"{"colour":""# + String(repeating: "x", count: last.count - 13) + #""}"#
    let record = framed(text, number: records.count)
    let handle = try FileHandle(forWritingTo: fixture.journal)
    try handle.seek(toOffset: UInt64(bytes.count - record.count))
    try handle.write(contentsOf: Data(record))
    try handle.close()
    let problem = try #require(try store.verify().first)
    #expect(problem.message.contains("a record cannot have this key"))
    #expect(problem.file == fixture.journal.path(percentEncoded: false))
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
    // The document is written from the rows in memory, so a checkpoint repairs the files.
    try store.compact()
    #expect(try store.verify() == [])
    #expect(try store.all().map { $0["name"] } == [.string("kept")])
  }

  @Test(arguments: [true, false])
  func `that another program removes or extends stops saves`(isRemoved: Bool) throws {
    let store = try fixture.open()
    if isRemoved {
      try FileManager.default.removeItem(at: fixture.journal)
    } else {
      try Data(whole + Array("more".utf8)).write(to: fixture.journal)
    }
    let error = try #require(throws: DataStoreError.self) { try store.insert(newRow([:])) }
    #expect(error == .storeReplaced)
    #expect(error.file == fixture.journal.path)
    #expect(try store.all().count == 1)
  }
}
