import CoreDataStore
import Foundation
import JSONFileStore
import MemoryStore
import ModelLayer
import PostgreSQLStore
import SQLiteStore

extension StoreScheme {
  /// The schemes of store URLs by name: the built-in ones, and those that the program registered.
  public static var all: [StoreScheme] {
    builtIn
    return registeredSchemes
  }

  /// Returns the configuration of the store that a URL names, such as `sqlite:trips.db`.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` for an unknown scheme or option, with a list
  ///   of the known ones.
  public static func configuration(
    for text: String,
    schema: Schema? = nil
  ) throws -> any DataStoreConfiguration {
    builtIn
    return try registeredConfiguration(for: text, schema: schema)
  }

  /// Registers the built-in schemes, the first time that it is read.
  ///
  /// A scheme that the program registered before under one of their names is kept.
  private static let builtIn: Void = {
    let taken = Set(registeredSchemes.map(\.name))
    for scheme in [sqlite, json, memory, coreData, postgres, postgresql]
    where !taken.contains(scheme.name) {
      register(scheme)
    }
  }()

  /// `sqlite:trips.db`, or `sqlite::memory:` in memory.
  private static let sqlite = StoreScheme(
    name: "sqlite",
    summary: "a SQLite database, as sqlite:trips.db",
    options: ["durability", "folder", "history", "keep", "readonly", "timeout"]
  ) { url, schema in
    let readOnly = try url.option("readonly", default: Flag.no) == .yes
    if url.path == ":memory:" {
      var configuration = SQLiteStoreConfiguration.inMemory(schema: schema)
      configuration.history = try HistoryOptions(url)
      return configuration
    }
    var configuration = SQLiteStoreConfiguration(
      schema: schema,
      url: try url.fileURL(),
      allowsSave: !readOnly,
      durability: try url.option("durability", default: .full)
    )
    configuration.createsFolder =
      try url.option("folder", default: FolderOption.existing) == .create
    configuration.busyTimeout = try url.seconds("timeout", default: configuration.busyTimeout)
    configuration.history = try HistoryOptions(url)
    return configuration
  }

  /// `json:trips.json`, `json:trips.json?journal=off&layout=indented`.
  private static let json = StoreScheme(
    name: "json",
    summary: "a JSON document with a journal, as json:trips.json",
    options: [
      "durability", "folder", "history", "journal", "keep", "layout", "readonly", "timeout",
    ]
  ) { url, schema in
    let reading = try url.option("readonly", default: Reading.no)
    var configuration = JSONFileStoreConfiguration(
      schema: schema,
      url: try url.fileURL(),
      allowsSave: reading == .no,
      durability: try url.option("durability", default: .full)
    )
    configuration.readsWithoutLock = reading == .unlocked
    configuration.busyTimeout = try url.seconds("timeout", default: configuration.busyTimeout)
    configuration.createsFolder =
      try url.option("folder", default: FolderOption.existing) == .create
    configuration.usesJournal = try url.option("journal", default: Switch.on) == .on
    configuration.layout = try url.option("layout", default: configuration.layout)
    configuration.history = try HistoryOptions(url)
    return configuration
  }

  /// `coredata:Model.sqlite`, `coredata:Model.sqlite?model=Model.momd`.
  private static let coreData = StoreScheme(
    name: "coredata",
    summary: "a store of Core Data or Apple's SwiftData, for reading, as coredata:Model.sqlite",
    options: ["inplace", "model", "schema", "transformables", "unreadable", "uris"]
  ) { url, schema in
    var configuration = CoreDataStoreConfiguration(schema: schema, url: try url.fileURL())
    configuration.modelURL = url.options["model"].map { URL(filePath: $0) }
    configuration.schemaURL = url.options["schema"].map { URL(filePath: $0) }
    configuration.isInPlace = try url.option("inplace", default: Flag.no) == .yes
    configuration.unreadableValues = try url.option("unreadable", default: .fail)
    configuration.keepsURIs = try url.option("uris", default: Flag.no) == .yes
    configuration.decodesTransformables =
      try url.option("transformables", default: Form.decoded) == .decoded
    return configuration
  }

  /// `postgres://user@host/database?schema=trips`.
  private static let postgres = server("postgres")

  /// The other name of the scheme.
  private static let postgresql = server("postgresql")

  private static func server(_ name: String) -> StoreScheme {
    let own = ["history", "keep", "timeout"]
    return StoreScheme(
      name: name,
      summary: "a schema of a PostgreSQL database, as \(name)://host/database?schema=trips",
      options: (own + PostgreSQLStoreConfiguration.parameters).sorted()
    ) { url, schema in
      var configuration = try PostgreSQLStoreConfiguration(
        url: url.text,
        schema: schema,
        ignoring: own
      )
      let timeout = Double(configuration.timeout.components.seconds)
      configuration.timeout = .seconds(try url.seconds("timeout", default: timeout))
      configuration.history = try HistoryOptions(url)
      return configuration
    }
  }

  /// `memory:`.
  private static let memory = StoreScheme(
    name: "memory",
    summary: "in memory, for as long as the container lives",
    options: ["history", "keep"]
  ) { url, schema in
    guard url.path.isEmpty else {
      throw DataStoreError(
        .invalidConfiguration,
        "memory: has no path, because each store in memory is a new one; write memory:, or "
          + "sqlite: or json: before the path of a file"
      )
    }
    var configuration = MemoryStoreConfiguration(schema: schema)
    configuration.history = try HistoryOptions(url)
    return configuration
  }
}

/// The words of the option that determines whether the folder of a store must exist.
private enum FolderOption: String, CaseIterable {
  case existing, create
}

/// The words of the option that opens a JSON store for reading, with a lock or without.
private enum Reading: String, CaseIterable {
  case yes, no, unlocked
}

/// The words of the option that says what becomes of archives in attributes.
private enum Form: String, CaseIterable {
  case decoded, raw
}

/// The words of an option that is on or off.
private enum Flag: String, CaseIterable {
  case yes, no
}

/// The words of an option that disables a default behavior.
private enum Switch: String, CaseIterable {
  case on, off
}
