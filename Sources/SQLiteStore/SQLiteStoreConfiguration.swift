import Foundation
import StoreFiles
import StoreProtocol

/// The file, schema and durability of a SQLite store.
///
/// ```swift
/// let container = try ModelContainer(
///   for: Trip.self, configurations: SQLiteStoreConfiguration(url: url))
/// ```
///
/// `ModelConfiguration`, SwiftData's name, is this type.
public struct SQLiteStoreConfiguration: DataStoreConfiguration, Identifiable, Sendable {
  /// The type of store that this configures.
  public typealias Store = SQLiteStore

  /// A name for messages, which also distinguishes configurations.
  public let name: String
  /// The models of this store, or `nil` for those of the file or the container.
  public var schema: Schema?
  /// The database file; `/dev/null` for a database in memory.
  public let url: URL
  /// A Boolean value that indicates whether the database is in memory and ends with its store.
  public var isStoredInMemoryOnly: Bool { identity != nil }
  /// A Boolean value that indicates whether changes can be saved.
  public let allowsSave: Bool
  /// The guarantee for a save that has returned.
  public let durability: StoreCapabilities.Durability
  /// The number of seconds that a save waits for other writers before it throws `storeBusy`.
  ///
  /// They begin with the save. The saves of its own process, which come to their turn, do not make it
  /// fail, but their time counts: after it, a save tries once whether another writer is there.
  public var busyTimeout: Double = 5
  /// The number of bytes of a database file that each connection may keep in memory, or `nil` for
  /// SQLite's default.
  ///
  /// The minimum is 256 KiB; SQLite's default is mostly 2 MB. One connection writes, and
  /// concurrent reads have one each; of the idle ones, two keep their pages. Other pages are read
  /// from the file again, mostly from the system's memory. That takes about a microsecond for a
  /// page of 4 KiB.
  public var cacheSize: Int?
  /// The length in bytes above which a value of an `.externalStorage` attribute is stored in a file
  /// of its own beside the database.
  ///
  /// `Int.max` keeps all values in their rows. Values that are stored otherwise are moved when they
  /// are next written.
  public var externalStorageThreshold = 16 << 10
  /// A Boolean value that indicates whether opening the store creates the folder of a store that
  /// does not exist yet.
  ///
  /// It is true for a configuration. It is false for a URL without the option `folder=create`, in
  /// which a mistake would create a store in the wrong folder.
  public var createsFolder = true
  /// The length in bytes of the largest value in a file of its own.
  ///
  /// Values are read into memory whole. Saving a larger one throws ``DataStoreError/invalidValue``,
  /// and reading one throws ``DataStoreError/invalidConfiguration``.
  public var maximumExternalValueSize = 1 << 30
  /// The content of the history and how long it is kept.
  public var history = HistoryOptions()

  /// The app group that the program specified; it has no meaning outside of Apple's systems.
  package var appGroup: String?
  /// A Boolean value that indicates whether the program asked for an iCloud database, which
  /// ``validate()`` refuses.
  package var requestsCloudDatabase = false
  /// An identity that distinguishes databases in memory.
  private var identity: UUID?

  /// The database file, or `nil` for a database in memory.
  var file: URL? { isStoredInMemoryOnly ? nil : url }
  /// The database file; `/dev/null` for a database in memory.
  public var id: URL { url }

  /// Hooks for tests; they do not take part in the equality of configurations.
  package var log: StatementLog?
  package var access: any FileAccess = SystemFileAccess()
  package var fileSystem: String?

  /// Creates the configuration of a database file.
  ///
  /// - Parameters:
  ///   - name: A name for messages, or `nil` for the file's name without its extension.
  ///   - schema: The models, or `nil` for those of the container or of the file.
  ///   - url: The file, which is created when the store is opened and there is none.
  ///   - allowsSave: Whether changes can be saved; if not, a store that does not exist is not
  ///     created.
  ///   - durability: The guarantee for a save that has returned.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    durability: StoreCapabilities.Durability = .full
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    self.durability = durability
  }

  /// Returns the configuration of a database in memory, which is empty at first and ends with its
  /// store.
  ///
  /// Each call describes another database: two such configurations are not equal.
  public static func inMemory(
    name: String = "memory",
    schema: Schema? = nil
  ) -> SQLiteStoreConfiguration {
    let url = URL(filePath: "/dev/null")
    var configuration = SQLiteStoreConfiguration(name, schema: schema, url: url, durability: .none)
    configuration.identity = UUID()
    return configuration
  }

  /// Checks everything that can be checked without opening the store.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` with the setting to change,
  ///   `SwiftDataError.configurationFileNameTooLong` or
  ///   `SwiftDataError.configurationFileNameContainsInvalidCharacters` for the name of the file,
  ///   and ``DataStoreError/unsupportedFeature`` for an iCloud database.
  public func validate() throws {
    guard !requestsCloudDatabase else {
      throw DataStoreError(
        .unsupportedFeature,
        "iCloud databases exist only on Apple's systems; use .none or .automatic"
      )
    }
    guard busyTimeout >= 0, busyTimeout <= 86_400 else {
      throw Self.invalid("the busy timeout must be from 0 to 86400 seconds")
    }
    guard (cacheSize ?? 0) >= 0 else {
      throw Self.invalid("the size of the cache must not be negative")
    }
    guard externalStorageThreshold >= 0 else {
      throw Self.invalid("the threshold of external storage must not be negative")
    }
    if let file { try validate(file) }
  }

  private func validate(_ file: URL) throws {
    guard file.isFileURL else {
      throw Self.invalid("a SQLite store needs a file URL, not \(file.scheme ?? "none")")
    }
    // By bytes: a slash with a combining mark is one character, and still a slash to the system.
    guard !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.with(
        "the name \"\(name)\" cannot be the name of a file; remove / and NUL"
      )
    }
    let path = file.path(percentEncoded: false)
    let component = FileName.split(path).name
    if path.utf8.contains(0) || component.isEmpty, let objection = FileName.objection(toPath: path)
    {
      throw Self.invalid("\(objection); use another path", file: path)
    }
    guard component.utf8.count <= FileName.longest else {
      throw SwiftDataError.configurationFileNameTooLong.with(
        "\(component) is longer than \(FileName.longest) bytes; choose a shorter name"
      )
    }
    if let objection = FileName.objection(to: component) {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.with(
        "\(objection) (\(file.path)); choose another name"
      )
    }
  }

  private static func invalid(_ message: String, file: String? = nil) -> DataStoreError {
    DataStoreError(.invalidConfiguration, message, file: file)
  }

  /// Returns whether everything that a program can set is equal.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.name == rhs.name && lhs.schema == rhs.schema && lhs.url == rhs.url
      && lhs.allowsSave == rhs.allowsSave && lhs.durability == rhs.durability
      && lhs.busyTimeout == rhs.busyTimeout && lhs.cacheSize == rhs.cacheSize
      && lhs.externalStorageThreshold == rhs.externalStorageThreshold
      && lhs.maximumExternalValueSize == rhs.maximumExternalValueSize
      && lhs.createsFolder == rhs.createsFolder && lhs.history == rhs.history
      && lhs.identity == rhs.identity
  }

  /// Hashes the name and the location.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(url)
  }
}
