import CommandLineSupport
import Foundation
import OpenSwiftData

/// A store that is opened by its URL with its own schema.
struct OpenedStore: Sendable {
  static let argument = Argument("URL", "The store, such as sqlite:FILE.")

  let store: any RecordStore
  /// The URL as given to the command.
  let url: String
  /// The URL that was opened, with the options that leave the store unchanged.
  let openedURL: String

  /// Opens an existing store, and writes nothing to it if possible.
  ///
  /// - Parameters:
  ///   - url: The store.
  ///   - forWriting: Whether the command is to change the store.
  ///   - report: Called with a line about a wait, or about a store in use; by default it is written
  ///     to standard error.
  /// - Throws: `DataStoreError` if there is no store, and `CommandFailure` if the kind of store
  ///   cannot be read without its models.
  init(
    _ url: String,
    forWriting: Bool = false,
    report: (String) -> Void = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
  ) throws {
    self.url = url
    do {
      (openedURL, store) =
        try forWriting
        ? (url, Self.openPatiently(url, report: report)) : Self.openForReading(url, report: report)
    } catch let error as DataStoreError where error.file != nil {
      throw try Self.isMissingFile(url) ? Self.missing(url) : error
    }
  }

  /// The error for a file that does not exist, with a file of a similar name in its folder.
  private static func missing(_ url: String) throws -> CommandFailure {
    let file = try StoreURL(url).fileURL()
    let folder = file.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let nearest = NearestName.of(file.lastPathComponent, among: names)
    return CommandFailure(
      "there is no file \(file.path); "
        + (nearest.map { "did you mean '\($0)'?" } ?? "correct the path of the store")
    )
  }

  /// Creates a store.
  ///
  /// - Throws: Errors of the creation.
  init(_ url: String, making schema: Schema) throws {
    (self.url, openedURL) = (url, url)
    store = try Self.open(StoreScheme.configuration(for: url, schema: schema))
  }

  /// Returns whether a URL names a built-in kind of store in a file.
  ///
  /// - Throws: Errors of parsing the URL.
  static func isFile(_ url: String) throws -> Bool {
    let url = try StoreURL(url)
    return ["sqlite", "json"].contains(url.scheme) && !["", ":memory:"].contains(url.path)
  }

  /// Returns whether a URL names a built-in kind of store in a file that does not exist.
  ///
  /// - Throws: Errors of parsing the URL.
  static func isMissingFile(_ url: String) throws -> Bool {
    try isFile(url) && !FileManager.default.fileExists(atPath: StoreURL(url).path)
  }

  /// Returns the URL of a command that takes it as an argument or as an option.
  ///
  /// - Throws: `UsageError` if it is given twice or not at all.
  static func named(
    _ argument: Argument,
    or option: Option,
    _ invocation: Invocation
  ) throws -> String {
    switch (invocation.text(argument), invocation.text(option)) {
    case (let url?, nil), (nil, let url?): return url
    case (nil, nil): throw UsageError("name the store, such as sqlite:FILE")
    case (_?, _?): throw UsageError("name the store once: as an argument or with --\(option.name)")
    }
  }

  /// Returns the URL of a command that takes another argument after it.
  ///
  /// - Throws: `UsageError` if the other one is the URL, or there is none.
  static func url(_ invocation: Invocation, before other: Argument) throws -> String {
    let url = try invocation.required(argument)
    if (try? StoreURL(url)) == nil, let last = invocation.text(other), (try? StoreURL(last)) != nil
    {
      throw UsageError("the store must precede the other argument: \(argument.name) \(other.name)")
    }
    return url
  }

  /// Advice for a copy with other keys than the original.
  static let hintOfOrder = "compare both stores with storectl diff --by order."

  /// Returns the store as one with maintenance.
  ///
  /// - Throws: `CommandFailure` if its kind does not support it.
  func maintainable() throws -> any MaintainableStore {
    guard let store = store as? any MaintainableStore else {
      throw CommandFailure(
        "a \(type(of: store)) cannot be verified, compacted or backed up; copy it to another store"
      )
    }
    return store
  }

  /// The entities in the order of their names.
  var entities: [StoreEntity] { store.schema.storeSchema.entities }

  /// Returns the entity with a name.
  ///
  /// - Throws: `CommandFailure` with the existing names.
  func entity(named name: String) throws -> StoreEntity {
    if let entity = store.schema.storeSchema.entity(named: name) { return entity }
    let existing = entities.map(\.name).joined(separator: ", ")
    throw CommandFailure("the store has no entity '\(name)'; it has \(existing)")
  }

  /// Counts the rows of an entity, without those of entities that inherit from it.
  func count(_ entity: StoreEntity) throws -> Int {
    try store.count(StoreQuery(entity: entity.name, includesSubentities: false))
  }

  /// Opens a store, and reports the wait if another process has it open.
  ///
  /// - Parameters:
  ///   - text: The store's URL.
  ///   - report: Called with a line before the wait.
  /// - Returns: The store.
  /// - Throws: Errors of opening; `DataStoreError.storeBusy` at the end of the wait.
  static func openPatiently(
    _ text: String,
    report: (String) -> Void
  ) throws -> any RecordStore {
    let url = try StoreURL(text)
    if url.scheme == "json", url.options["timeout"] == nil {
      do {
        return try open(StoreScheme.configuration(for: adding("timeout=0", to: text)))
      } catch let error as DataStoreError where error == .storeBusy {
        report("storectl: waiting: \(error.message)".visible)
      }
    }
    return try open(StoreScheme.configuration(for: text))
  }

  /// Opens a store for reading.
  ///
  /// If another process has a JSON store open, this reads the state of its last save.
  ///
  /// - Parameters:
  ///   - text: The store's URL.
  ///   - report: Called with a line if the state is read without a lock.
  /// - Returns: The URL that was opened, and the store.
  /// - Throws: Errors of opening.
  private static func openForReading(
    _ text: String,
    report: (String) -> Void
  ) throws -> (String, any RecordStore) {
    let url = try StoreURL(text)
    guard ["sqlite", "json"].contains(url.scheme), url.options["readonly"] == nil else {
      return (text, try openPatiently(text, report: report))
    }
    let locked = adding("readonly=yes", to: text)
    guard url.scheme == "json" else {
      return (locked, try open(StoreScheme.configuration(for: locked)))
    }
    do {
      let impatient = url.options["timeout"] == nil ? adding("timeout=0", to: locked) : locked
      return (locked, try open(StoreScheme.configuration(for: impatient)))
    } catch let error as DataStoreError where error == .storeBusy {
      report("storectl: \(url.path) is in use; this is the state of its last save".visible)
    }
    let unlocked = unlocked(text)
    return (unlocked, try open(StoreScheme.configuration(for: unlocked)))
  }

  /// Returns the URL of a JSON store with the option that reads it without a lock, or any other URL
  /// unchanged.
  static func unlocked(_ text: String) -> String {
    guard let url = try? StoreURL(text), url.scheme == "json", url.options["readonly"] == nil
    else { return text }
    return adding("readonly=unlocked", to: text)
  }

  private static func adding(_ option: String, to text: String) -> String {
    text + (text.contains("?") ? "&" : "?") + option
  }

  private static func open<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration
  ) throws -> any RecordStore {
    try configuration.validate()
    let store = try Configuration.Store(configuration, migrationPlan: nil)
    guard let plain = store as? any RecordStore else {
      throw CommandFailure("a \(Configuration.Store.self) can only be read with its models")
    }
    return plain
  }
}
