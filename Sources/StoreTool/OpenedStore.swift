import CommandLineSupport
import Foundation
import OpenSwiftData

/// A store opened by its URL with the schema that it holds.
struct OpenedStore: Sendable {
  static let argument = Argument("URL", "The store: sqlite:FILE or json:FILE.")

  let store: any RecordStore
  /// The URL as the command was given it.
  let url: String
  /// The URL that was opened, with the options that keep the store as it is.
  let openedURL: String

  /// Opens a store that is there already, and writes nothing to it where that can be had.
  ///
  /// - Parameters:
  ///   - url: The store.
  ///   - forWriting: Whether the command is to change the store.
  ///   - tell: Called with a line that says what is waited for, or that the store is in use; by
  ///     default it goes to standard error.
  /// - Throws: `DataStoreError` when there is no store, and `CommandFailure` when the kind of
  ///   store cannot be read without its models.
  init(
    _ url: String,
    forWriting: Bool = false,
    tell: (String) -> Void = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
  ) throws {
    self.url = url
    (openedURL, store) =
      try forWriting
      ? (url, Self.openPatiently(url, tell: tell)) : Self.openForReading(url, tell: tell)
  }

  /// Makes a store that is not there yet.
  ///
  /// - Throws: What making it throws.
  init(_ url: String, making schema: Schema) throws {
    (self.url, openedURL) = (url, url)
    store = try Self.open(StoreScheme.configuration(for: url, schema: schema))
  }

  /// Whether a URL names a built-in kind of store in a file.
  ///
  /// - Throws: What reading the URL throws.
  static func isFile(_ url: String) throws -> Bool {
    let url = try StoreURL(url)
    return ["sqlite", "json"].contains(url.scheme) && !["", ":memory:"].contains(url.path)
  }

  /// Whether a URL names a built-in kind of store in a file, and there is no such file.
  ///
  /// - Throws: What reading the URL throws.
  static func isMissingFile(_ url: String) throws -> Bool {
    try isFile(url) && !FileManager.default.fileExists(atPath: StoreURL(url).path)
  }

  /// The URL of a command that takes it as an argument, and as an option as well.
  ///
  /// - Throws: `UsageError` where it is given twice or not at all.
  static func named(
    _ argument: Argument,
    or option: Option,
    _ invocation: Invocation
  ) throws -> String {
    switch (invocation.text(argument), invocation.text(option)) {
    case (let url?, nil), (nil, let url?): return url
    case (nil, nil): throw UsageError("name the store, as sqlite:FILE or json:FILE")
    case (_?, _?): throw UsageError("name the store once: as an argument, or by --\(option.name)")
    }
  }

  /// The URL of a command that takes another argument after it.
  ///
  /// - Throws: `UsageError` if the other one is the URL, or there is none.
  static func url(_ invocation: Invocation, before other: Argument) throws -> String {
    let url = try invocation.required(argument)
    if (try? StoreURL(url)) == nil, let last = invocation.text(other), (try? StoreURL(last)) != nil
    {
      throw UsageError("the store comes first: \(argument.name) \(other.name)")
    }
    return url
  }

  /// What to do where a copy has other keys than the original.
  static let hintOfOrder = "compare both stores with storectl diff --by order."

  /// The store as one that can be looked after.
  ///
  /// - Throws: `CommandFailure` when its kind cannot.
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

  /// The entity of a name.
  ///
  /// - Throws: `CommandFailure` with the names that there are.
  func entity(named name: String) throws -> StoreEntity {
    if let entity = store.schema.storeSchema.entity(named: name) { return entity }
    let known = entities.map(\.name).joined(separator: ", ")
    throw CommandFailure("the store has no entity '\(name)'; it has \(known)")
  }

  /// Counts the rows of an entity, without those of entities that inherit from it.
  func count(_ entity: StoreEntity) throws -> Int {
    try store.count(StoreQuery(entity: entity.name, includesSubentities: false))
  }

  /// Opens a store, and says what is waited for if another process has it.
  ///
  /// - Parameters:
  ///   - text: The store's URL.
  ///   - tell: Called with a line before the wait.
  /// - Returns: The store.
  /// - Throws: What opening throws, `DataStoreError.storeBusy` at the end of the wait.
  static func openPatiently(
    _ text: String,
    tell: (String) -> Void
  ) throws -> any RecordStore {
    let url = try StoreURL(text)
    if url.scheme == "json", url.options["timeout"] == nil {
      do {
        return try open(StoreScheme.configuration(for: adding("timeout=0", to: text)))
      } catch let error as DataStoreError where error == .storeBusy {
        tell("storectl: waiting: \(error.message)".visible)
      }
    }
    return try open(StoreScheme.configuration(for: text))
  }

  /// Opens a store to read; of a JSON store that another process has, the state of its last save.
  ///
  /// - Parameters:
  ///   - text: The store's URL.
  ///   - tell: Called with a line if the state is read without a lock.
  /// - Returns: The URL that was opened, and the store.
  /// - Throws: What opening throws.
  private static func openForReading(
    _ text: String,
    tell: (String) -> Void
  ) throws -> (String, any RecordStore) {
    let url = try StoreURL(text)
    guard ["sqlite", "json"].contains(url.scheme), url.options["readonly"] == nil else {
      return (text, try openPatiently(text, tell: tell))
    }
    let locked = adding("readonly=yes", to: text)
    guard url.scheme == "json" else {
      return (locked, try open(StoreScheme.configuration(for: locked)))
    }
    do {
      let impatient = url.options["timeout"] == nil ? adding("timeout=0", to: locked) : locked
      return (locked, try open(StoreScheme.configuration(for: impatient)))
    } catch let error as DataStoreError where error == .storeBusy {
      tell("storectl: \(url.path) is in use; this is the state of its last save".visible)
    }
    let unlocked = unlocked(text)
    return (unlocked, try open(StoreScheme.configuration(for: unlocked)))
  }

  /// The URL of a JSON store with the option that reads it without a lock; any other as it is.
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
