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

  /// Causes a problem, before or while the store is used.
  func provoke(_ trouble: Trouble, at url: URL) throws {
    switch trouble {
    case .held: try withHeldLock(of: url) { _ = try open(url) }
    case .damaged:
      try damage(url)
      _ = try open(url)
    case .newer:
      try makeNewer(url)
      _ = try open(url)
    case .link:
      let other = url.appendingPathExtension("other")
      try FileManager.default.moveItem(at: url, to: other)
      try FileManager.default.createSymbolicLink(at: url, withDestinationURL: other)
      _ = try open(url)
    case .replaced:
      let store = try open(url)
      try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("old"))
      try FileManager.default.copyItem(at: url.appendingPathExtension("old"), to: url)
      _ = try store.apply(Self.save)
    case .removed:
      let store = try open(url)
      try FileManager.default.removeItem(at: url)
      _ = try store.apply(Self.save)
    case .readOnly: _ = try open(url, allowsSave: false).apply(Self.save)
    case .missing: _ = try open(url.appendingPathExtension("none"), allowsSave: false)
    case .closed:
      let store = try open(url)
      guard let document = store as? JSONFileStore else { throw DataStoreError.storeClosed }
      try document.close()
      _ = try document.apply(Self.save)
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

  var code: DataStoreError.Code {
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
  fileprivate func `has the same error code in every store, and names the file`(
    store: FileStore,
    trouble: Trouble
  ) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.data")
    _ = try store.open(url)
    // A SQLite store closes only with the last reference to it.
    if store == .sqlite, trouble == .closed { return }
    let error = #expect(throws: DataStoreError.self) { try store.provoke(trouble, at: url) }
    #expect(error?.code == trouble.code)
    #expect(error?.file?.contains("store.data") == true)
    #expect(error?.message.isEmpty == false)
  }

  @Test(arguments: FileStore.allCases)
  fileprivate func `leaves a refused file unchanged`(store: FileStore) throws {
    for trouble in [Trouble.newer, .held, .damaged, .missing, .readOnly] {
      let folder = try TemporaryFolder()
      let url = folder.file("store.data")
      _ = try store.open(url)
      _ = try? store.provoke(trouble, at: url)
      let bytes = try Data(contentsOf: url)
      _ = try? store.open(url, allowsSave: trouble != .readOnly)
      #expect(try Data(contentsOf: url) == bytes)
    }
  }
}
