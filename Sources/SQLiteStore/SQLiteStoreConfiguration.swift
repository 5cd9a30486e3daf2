import Foundation
import StoreFiles
import StoreProtocol

/// Where a SQLite store lives and how careful it is.
///
/// ```swift
/// let container = try ModelContainer(
///   for: Trip.self, configurations: SQLiteStoreConfiguration(url: url))
/// ```
public struct SQLiteStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The kind of store that this configures.
  public typealias Store = SQLiteStore

  /// A name for messages and to tell configurations apart.
  public let name: String
  /// The models kept in this store; nil takes the schema of the file, or of the container.
  public var schema: Schema?
  /// The database file, nil for a database in memory.
  public let url: URL?
  /// Whether changes can be saved.
  public let allowsSave: Bool
  /// What survives when a save returned.
  public let durability: StoreCapabilities.Durability
  /// How many seconds a save waits for another writer before it throws `storeBusy`.
  public var busyTimeout: Double = 5
  /// How many bytes of a database file each connection may keep in memory, 256 KiB at least; nil
  /// leaves it at what SQLite does by itself, mostly 2 MB.
  ///
  /// One connection writes, and reads that run side by side have one each; of those that wait for
  /// the next read, two keep what they have. What does not fit is read from the file again, mostly
  /// from the system's memory: that takes about a microsecond a page of 4 KiB.
  public var cacheSize: Int?
  /// The length in bytes above which a value of an `.externalStorage` attribute lies in a file of
  /// its own beside the database; `Int.max` keeps all values in their rows.
  ///
  /// Values that lie elsewhere are moved when they are next written.
  public var externalStorageThreshold = 16 << 10
  /// What the store remembers of its saves, and for how long.
  public var history = HistoryOptions()

  /// Hooks for tests; nothing of it is part of what makes configurations equal.
  var log: StatementLog?
  var access: any FileAccess = SystemFileAccess()
  var fileSystem: String?

  /// Creates the configuration of a database file.
  ///
  /// - Parameters:
  ///   - name: A name for messages; the file's name without its extension when it is nil.
  ///   - schema: The models, or nil for those of the container or of the file.
  ///   - url: The file, which is made when the store is opened and there is none.
  ///   - allowsSave: Whether changes can be saved; a store that does not exist is not made then.
  ///   - durability: What survives when a save returned.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    durability: StoreCapabilities.Durability = .full
  ) {
    self.init(
      name: name ?? url.deletingPathExtension().lastPathComponent,
      schema: schema,
      location: url,
      allowsSave: allowsSave,
      durability: durability
    )
  }

  private init(
    name: String,
    schema: Schema?,
    location: URL?,
    allowsSave: Bool,
    durability: StoreCapabilities.Durability
  ) {
    self.name = name
    self.schema = schema
    self.url = location
    self.allowsSave = allowsSave
    self.durability = durability
  }

  /// A database in memory, empty at first and gone with its store.
  public static func inMemory(
    name: String = "memory",
    schema: Schema? = nil
  ) -> SQLiteStoreConfiguration {
    SQLiteStoreConfiguration(
      name: name,
      schema: schema,
      location: nil,
      allowsSave: true,
      durability: .none
    )
  }

  /// Checks that the place can be a store's.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` with what to mend.
  public func validate() throws {
    guard busyTimeout >= 0, busyTimeout <= 86_400 else {
      throw DataStoreError(
        .invalidConfiguration,
        "the busy timeout must lie between 0 and 86400 seconds"
      )
    }
    guard (cacheSize ?? 0) >= 0 else {
      throw DataStoreError(.invalidConfiguration, "the size of the cache must not be negative")
    }
    guard externalStorageThreshold >= 0 else {
      throw DataStoreError(
        .invalidConfiguration,
        "the threshold of external storage must not be negative"
      )
    }
    guard let url else { return }
    guard url.isFileURL else {
      throw DataStoreError(
        .invalidConfiguration,
        "a SQLite store needs a file URL, not \(url.scheme ?? "none")"
      )
    }
    if let objection = FileName.objection(to: FileName.split(url.path).name) {
      throw DataStoreError(.invalidConfiguration, objection, file: url.path)
    }
  }

  /// Compares everything that a program can set.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.name == rhs.name && lhs.schema == rhs.schema && lhs.url == rhs.url
      && lhs.allowsSave == rhs.allowsSave && lhs.durability == rhs.durability
      && lhs.busyTimeout == rhs.busyTimeout && lhs.cacheSize == rhs.cacheSize
      && lhs.externalStorageThreshold == rhs.externalStorageThreshold
      && lhs.history == rhs.history
  }

  /// Hashes the name and the place.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(url)
  }
}
