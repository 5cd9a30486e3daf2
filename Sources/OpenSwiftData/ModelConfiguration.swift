import Foundation
import ModelLayer
import SQLiteStore

/// The description of a container's store as SwiftData has it; the store is a SQLite database.
public struct ModelConfiguration: DataStoreConfiguration, Identifiable, Sendable,
  CustomDebugStringConvertible
{
  /// The store that such a configuration makes.
  public typealias Store = DefaultStore

  /// The place of the store's file.
  public let url: URL
  /// The configuration's name.
  public let name: String
  /// The identifier of an app group, which exists on Apple's systems alone.
  public let groupAppContainerIdentifier: String?
  /// The identifier of an iCloud container; always nil, since there is no synchronisation.
  public let cloudKitContainerIdentifier: String?
  /// The folder that an unnamed store lies in.
  public let groupContainer: GroupContainer
  /// The iCloud database.
  public let cloudKitDatabase: CloudKitDatabase
  /// The models kept in this store, nil for all of the container's.
  public var schema: Schema?
  /// Whether the store may be changed.
  public let allowsSave: Bool
  /// Whether the store lives in memory and ends with its container.
  public let isStoredInMemoryOnly: Bool
  /// What the store remembers of its saves, and for how long.
  public var history = HistoryOptions()
  private let identity: UUID?

  /// The place of the store's file.
  public var id: URL { url }

  /// Creates a configuration for all of a container's models.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates a configuration for some models.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates a configuration for a store in the folder for application data.
  ///
  /// The file is called after the name, `default.store` where there is none. See
  /// ``StoreLocation/applicationSupport`` for the folder.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? "default"
    self.schema = schema
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    groupAppContainerIdentifier = groupContainer.identifier
    cloudKitContainerIdentifier = nil
    url = StoreLocation.applicationSupport.appending(path: "\(name ?? "default").store")
    identity = isStoredInMemoryOnly ? UUID() : nil
  }

  /// Creates a configuration for a store in a file.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    self.cloudKitDatabase = cloudKitDatabase
    isStoredInMemoryOnly = false
    groupContainer = .none
    groupAppContainerIdentifier = nil
    cloudKitContainerIdentifier = nil
    identity = nil
  }

  /// Checks the names and what cannot be had here.
  ///
  /// - Throws: `SwiftDataError.configurationFileNameTooLong`,
  ///   `SwiftDataError.configurationFileNameContainsInvalidCharacters`, or
  ///   `DataStoreError.unsupportedFeature` for an iCloud database.
  public func validate() throws {
    guard !cloudKitDatabase.isPrivate else {
      throw DataStoreError(
        .unsupportedFeature,
        "iCloud databases exist on Apple's systems alone; use .none or .automatic"
      )
    }
    guard !isStoredInMemoryOnly else { return }
    let file = url.lastPathComponent
    guard file.utf8.count <= 200 else {
      throw SwiftDataError.configurationFileNameTooLong.with("\(file) is longer than 200 bytes")
    }
    guard !name.contains("/"), !name.contains("\0"), !file.isEmpty else {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.with(
        "the name \"\(name)\" cannot be a file's; leave out / and NUL"
      )
    }
  }

  /// The name and the place.
  public var debugDescription: String {
    isStoredInMemoryOnly ? "\(name) (in memory)" : "\(name) (\(url.path))"
  }

  /// Compares name, place and kind; each configuration in memory is a store of its own.
  public static func == (lhs: ModelConfiguration, rhs: ModelConfiguration) -> Bool {
    lhs.url == rhs.url && lhs.name == rhs.name && lhs.identity == rhs.identity
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(identity)
  }
}

extension ModelConfiguration {
  /// The iCloud database of a configuration; there is none outside of Apple's systems.
  public struct CloudKitDatabase: Sendable {
    let isPrivate: Bool

    /// The program's own, which here is none.
    public static var automatic: CloudKitDatabase { CloudKitDatabase(isPrivate: false) }
    /// None.
    public static var none: CloudKitDatabase { CloudKitDatabase(isPrivate: false) }
    /// A named one, which a configuration refuses when it is validated.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(isPrivate: true)
    }
  }

  /// The app group that a store's folder belongs to; there are none outside of Apple's systems.
  public struct GroupContainer: Sendable {
    let identifier: String?

    /// The program's own.
    public static var automatic: GroupContainer { GroupContainer(identifier: nil) }
    /// None.
    public static var none: GroupContainer { GroupContainer(identifier: nil) }
    /// A named one, which only names the store's place in messages.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(identifier: groupName)
    }
  }
}

/// Where stores lie that were not given a place.
public enum StoreLocation {
  /// The folder for application data with a folder for this program in it.
  ///
  /// On Linux `$XDG_DATA_HOME` or `~/.local/share`, then the program's name; on Apple's systems
  /// Application Support.
  public static var applicationSupport: URL {
    let base =
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? URL(filePath: NSHomeDirectory()).appending(path: ".local/share")
    return base.appending(path: ProcessInfo.processInfo.processName)
  }
}
