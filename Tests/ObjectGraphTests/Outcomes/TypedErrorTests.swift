import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// A store in a file, opened without a container.
private enum FileStore: CaseIterable, CustomTestStringConvertible {
  case sqlite, json

  var testDescription: String { "\(self)" }

  func open(_ url: URL, allowsSave: Bool = true) throws -> any RecordStore {
    let schema = allowsSave ? Schema([Consignment.self, Lorry.self]) : nil
    switch self {
    case .sqlite:
      var configuration = SQLiteStoreConfiguration(
        schema: schema,
        url: url,
        allowsSave: allowsSave
      )
      configuration.busyTimeout = 0
      return try SQLiteStore(configuration, migrationPlan: nil)
    case .json:
      var configuration = JSONFileStoreConfiguration(
        schema: schema,
        url: url,
        allowsSave: allowsSave
      )
      configuration.busyTimeout = 0
      return try JSONFileStore(configuration, migrationPlan: nil)
    }
  }

  /// Causes a problem, and returns the use of the store that must fail.
  func provoke(_ trouble: Trouble, at url: URL) throws -> () throws -> Void {
    let opening = { _ = try open(url) }
    switch trouble {
    case .held: return { try withHeldLock(of: url, opening) }
    case .damaged:
      try damage(url)
      return opening
    case .newer:
      try makeNewer(url)
      return opening
    case .link:
      let nowhere = url.appendingPathExtension("nowhere")
      try FileManager.default.removeItem(at: url)
      try FileManager.default.createSymbolicLink(at: url, withDestinationURL: nowhere)
      return opening
    case .missing:
      return { _ = try open(url.appendingPathExtension("none"), allowsSave: false) }
    case .replaced, .removed, .readOnly, .closed:
      let store = try open(url, allowsSave: trouble != .readOnly)
      let old = url.appendingPathExtension("old")
      if trouble == .replaced || trouble == .removed {
        try FileManager.default.moveItem(at: url, to: old)
      }
      if trouble == .replaced { try FileManager.default.copyItem(at: old, to: url) }
      if trouble == .closed { try store.close() }
      return { _ = try store.apply(Self.save) }
    }
  }

  /// Makes a store's file unreadable.
  private func damage(_ url: URL) throws {
    let data = try Data(contentsOf: url)
    switch self {
    case .sqlite: try Data(repeating: 0x2A, count: data.count).write(to: url)
    case .json: try data.prefix(data.count / 2).write(to: url)
    }
  }

  /// Writes a newer format version into a store's file.
  private func makeNewer(_ url: URL) throws {
    var data = try Data(contentsOf: url)
    switch self {
    case .sqlite: data.replaceSubrange(60..<64, with: [0, 0, 0, 99])
    case .json:
      let text = String(decoding: data, as: UTF8.self)
      guard let range = text.firstRange(of: /"version"\s*:\s*[0-9]+/) else { break }
      data = Data(text.replacingCharacters(in: range, with: "\"version\":99").utf8)
    }
    try data.write(to: url)
  }

  private func withHeldLock(of url: URL, _ body: () throws -> Void) throws {
    let descriptor = Foundation.open(url.path + ".lock", O_RDWR | O_CREAT, 0o600)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    try body()
  }

  /// A save that stores something.
  private static var save: StoreChanges {
    let schema = Schema([Consignment.self, Lorry.self]).storeSchema
    guard let lorry = schema.entity(named: "Lorry") else { return StoreChanges() }
    let record = DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "Lorry"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      entity: lorry,
      values: lorry.properties.map { $0.name == "plate" ? .string("x") : .null }
    )
    return StoreChanges(inserted: [record])
  }
}

/// A problem with a store's files.
private enum Trouble: CaseIterable, CustomTestStringConvertible {
  case held, damaged, newer, link, replaced, removed, readOnly, missing, closed

  var testDescription: String { "\(self)" }

  var code: DataStoreError {
    switch self {
    case .held: .storeBusy
    case .damaged: .storeDamaged
    case .newer: .storeTooNew
    case .link: .storeNotTrusted
    case .replaced, .removed: .storeReplaced
    case .readOnly: .storeReadOnly
    case .missing: .storeNotFound
    case .closed: .storeClosed
    }
  }
}

@Suite("A problem with a store's files")
struct TypedErrorTests {
  @Test(arguments: FileStore.allCases, Trouble.allCases)
  fileprivate func `has the same error code in every store, names the file, and changes no file`(
    store: FileStore,
    trouble: Trouble
  ) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.data")
    _ = try store.open(url)
    let use = try store.provoke(trouble, at: url)
    let before = try contents(of: folder)
    let error = #expect(throws: DataStoreError.self) { try use() }
    #expect(error == trouble.code)
    #expect(error?.file?.contains("store.data") == true)
    #expect(error?.message.isEmpty == false)
    #expect(try contents(of: folder) == before)
  }

  /// Returns the contents of all files, except empty files and those that coordinate processes, and
  /// the targets of links.
  private func contents(of folder: TemporaryFolder) throws -> [String: Data] {
    let names = try folder.names().filter { !$0.hasSuffix(".lock") && !$0.hasSuffix("-shm") }
    let files = try names.map { name in
      let path = folder.file(name).path
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
      return (name, try target.map { Data($0.utf8) } ?? Data(contentsOf: folder.file(name)))
    }
    return Dictionary(uniqueKeysWithValues: files).filter { !$0.value.isEmpty }
  }
}
