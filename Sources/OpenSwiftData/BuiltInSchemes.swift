import JSONFileStore
import MemoryStore
import ModelLayer
import SQLiteStore

extension StoreScheme {
  /// Makes the built-in schemes known, the first time that it is asked for.
  static let builtIn: Void = {
    for scheme in [sqlite, json, memory] { register(scheme) }
  }()

  /// `sqlite:trips.db`; without a path, or with `:memory:`, in memory.
  private static let sqlite = StoreScheme(
    name: "sqlite",
    summary: "a SQLite database, as sqlite:trips.db",
    options: ["durability", "readonly"]
  ) { url, schema in
    let readOnly = try url.option("readonly", default: Flag.no) == .yes
    if url.path.isEmpty || url.path == ":memory:" {
      return SQLiteStoreConfiguration.inMemory(schema: schema)
    }
    return SQLiteStoreConfiguration(
      schema: schema,
      url: try url.fileURL(),
      allowsSave: !readOnly,
      durability: try url.option("durability", default: .full)
    )
  }

  /// `json:trips.json`.
  private static let json = StoreScheme(
    name: "json",
    summary: "a JSON document with a journal, as json:trips.json",
    options: ["durability", "readonly"]
  ) { url, schema in
    JSONFileStoreConfiguration(
      schema: schema,
      url: try url.fileURL(),
      allowsSave: try url.option("readonly", default: Flag.no) == .no,
      durability: try url.option("durability", default: .full)
    )
  }

  /// `memory:`.
  private static let memory = StoreScheme(
    name: "memory",
    summary: "in memory, for as long as the container lives"
  ) { _, schema in
    MemoryStoreConfiguration(schema: schema)
  }
}

/// The words of an option that is on or off.
private enum Flag: String, CaseIterable {
  case yes, no
}
