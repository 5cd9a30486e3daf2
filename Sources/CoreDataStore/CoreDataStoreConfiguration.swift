public import Foundation
public import StoreProtocol

/// The description of a store of Core Data or Apple's SwiftData, which is only read.
public struct CoreDataStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The kind of store that this configures.
  public typealias Store = CoreDataStore

  /// A name for messages.
  public let name: String
  /// The program's models, matched by name; `nil` takes the model of the file.
  public var schema: Schema?
  /// The SQLite file.
  public var url: URL
  /// The model to read the file by (`.mom`, `.momd`, `.xcdatamodel` or `.xcdatamodeld`), or `nil`
  /// to take the one that the file has.
  public var modelURL: URL?
  /// Whether to read the file itself instead of a private copy.
  ///
  /// This saves the copy of a large file. A file with a log is then refused, and no program may
  /// write the file meanwhile.
  public var isInPlace = false
  /// What becomes of values that cannot be read.
  public var unreadableValues = UnreadableValuePolicy.fail

  /// Creates a configuration.
  public init(_ name: String? = nil, schema: Schema? = nil, url: URL) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
  }

  /// Compares the files and how they are read.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.url == rhs.url && lhs.modelURL == rhs.modelURL && lhs.isInPlace == rhs.isInPlace
      && lhs.unreadableValues == rhs.unreadableValues
  }

  /// Hashes the file.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
  }
}
