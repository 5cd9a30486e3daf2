import Foundation
import ModelLayer
import SQLiteStore

/// The configuration of a container's store, under SwiftData's name.
///
/// The store is a SQLite database, and every setting of ``SQLiteStoreConfiguration`` is a setting
/// of a `ModelConfiguration`: both are one type.
public typealias ModelConfiguration = SQLiteStoreConfiguration

/// The store of a ``ModelConfiguration``, under SwiftData's name: a SQLite database.
public typealias DefaultStore = SQLiteStore

// SwiftData's initializers of configurations.
extension SQLiteStoreConfiguration {
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
  /// The file is named after the configuration, or `default.store` without a name. See
  /// ``StoreLocation/applicationSupport`` for the folder. A store in memory can always be changed.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    let name = name ?? "default"
    if isStoredInMemoryOnly {
      self = .inMemory(name: name, schema: schema)
    } else {
      let file = StoreLocation.applicationSupport.appending(path: "\(name).store")
      self.init(name, schema: schema, url: file, allowsSave: allowsSave)
    }
    appGroup = groupContainer.identifier
    requestsCloudDatabase = cloudKitDatabase.isPrivate
  }

  /// Creates a configuration for a store in a file, with an iCloud database.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave)
    requestsCloudDatabase = cloudKitDatabase.isPrivate
  }

  /// The identifier of an app group, which exists only on Apple's systems.
  public var groupAppContainerIdentifier: String? { appGroup }
  /// The identifier of an iCloud container; always `nil`, since there is no synchronization.
  public var cloudKitContainerIdentifier: String? { nil }
  /// The app group of an unnamed store.
  public var groupContainer: GroupContainer { GroupContainer(identifier: appGroup) }
  /// The iCloud database.
  public var cloudKitDatabase: CloudKitDatabase {
    CloudKitDatabase(isPrivate: requestsCloudDatabase)
  }
}

extension SQLiteStoreConfiguration: CustomDebugStringConvertible {
  /// The name and the path.
  public var debugDescription: String {
    isStoredInMemoryOnly ? "\(name) (in memory)" : "\(name) (\(url.path))"
  }
}

extension SQLiteStoreConfiguration {
  /// The iCloud database of a configuration; there is none outside of Apple's systems.
  public struct CloudKitDatabase: Sendable {
    let isPrivate: Bool

    /// The program's own database, of which there is none here.
    public static var automatic: CloudKitDatabase { CloudKitDatabase(isPrivate: false) }
    /// No database.
    public static var none: CloudKitDatabase { CloudKitDatabase(isPrivate: false) }
    /// Returns a named database, which a configuration refuses when it is validated.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(isPrivate: true)
    }
  }

  /// The app group that a store's folder belongs to; there are none outside of Apple's systems.
  public struct GroupContainer: Sendable {
    let identifier: String?

    /// The program's own group.
    public static var automatic: GroupContainer { GroupContainer(identifier: nil) }
    /// No group.
    public static var none: GroupContainer { GroupContainer(identifier: nil) }
    /// Returns a named group, which only appears in messages about the store's location.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(identifier: groupName)
    }
  }
}

/// The location of stores without a path.
public enum StoreLocation {
  /// The folder for this program in the folder for application data.
  ///
  /// On Linux this is `$XDG_DATA_HOME` or `~/.local/share`, followed by the program's name; on
  /// Apple's systems it is in Application Support.
  public static var applicationSupport: URL {
    let base =
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? URL(filePath: NSHomeDirectory()).appending(path: ".local/share")
    return base.appending(path: ProcessInfo.processInfo.processName)
  }
}
