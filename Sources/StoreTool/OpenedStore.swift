import CommandLineSupport
import Foundation
import OpenSwiftData

/// A store opened by its URL with the schema that it holds.
struct OpenedStore: Sendable {
  static let argument = Argument("URL", "The store: sqlite:FILE or json:FILE.")

  let store: any RecordStore
  /// The URL as the command was given it.
  let url: String

  /// Opens a store that is there already, and writes nothing to it where that can be had.
  ///
  /// - Parameters:
  ///   - url: The store.
  ///   - forWriting: Whether the command is to change the store.
  /// - Throws: `DataStoreError` when there is no store, and `CommandFailure` when the kind of
  ///   store cannot be read without its models.
  init(_ url: String, forWriting: Bool = false) throws {
    self.url = url
    let text = try forWriting ? url : Self.readOnly(url)
    store = try Self.openPatiently(text)
  }

  /// Makes a store that is not there yet.
  ///
  /// - Throws: What making it throws.
  init(_ url: String, making schema: Schema) throws {
    self.url = url
    store = try Self.open(StoreScheme.configuration(for: url, schema: schema))
  }

  /// Whether a URL names a built-in kind of store in a file, and there is no such file.
  ///
  /// - Throws: What reading the URL throws.
  static func isMissingFile(_ url: String) throws -> Bool {
    let url = try StoreURL(url)
    return ["sqlite", "json"].contains(url.scheme) && !["", ":memory:"].contains(url.path)
      && !FileManager.default.fileExists(atPath: url.path)
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
  ///   - tell: Called with a line before the wait; by default it goes to standard error.
  /// - Returns: The store.
  /// - Throws: What opening throws, `DataStoreError.storeBusy` at the end of the wait.
  static func openPatiently(
    _ text: String,
    tell: (String) -> Void = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
  ) throws -> any RecordStore {
    let url = try StoreURL(text)
    if url.scheme == "json", url.options["timeout"] == nil {
      let impatient = text + (text.contains("?") ? "&" : "?") + "timeout=0"
      do {
        return try open(StoreScheme.configuration(for: impatient))
      } catch let error as DataStoreError where error == .storeBusy {
        tell("storectl: waiting: \(error.message)".visible)
      }
    }
    return try open(StoreScheme.configuration(for: text))
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

  /// The URL with the option that keeps a store from being changed, where it has one.
  private static func readOnly(_ text: String) throws -> String {
    let url = try StoreURL(text)
    guard ["sqlite", "json"].contains(url.scheme), url.options["readonly"] == nil else {
      return text
    }
    return text + (text.contains("?") ? "&" : "?") + "readonly=yes"
  }
}
