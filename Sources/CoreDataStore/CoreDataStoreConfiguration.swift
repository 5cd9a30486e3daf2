public import Foundation
public import StoreProtocol

/// The description of a read-only store of Core Data or Apple's SwiftData.
public struct CoreDataStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The name of the property with the address of an object.
  public static let uriProperty = "coreDataURI"
  /// The type of the configured store.
  public typealias Store = CoreDataStore

  /// The name of the store in messages.
  public let name: String
  /// The program's models, matched by name; `nil` uses the model of the file.
  public var schema: Schema?
  /// The SQLite file.
  public var url: URL
  /// The model for reading the file (`.mom`, `.momd`, `.xcdatamodel` or `.xcdatamodeld`), or `nil`
  /// to use the one that the file contains.
  public var modelURL: URL?
  /// The file of a JSON schema for reading the store, or `nil` if there is none.
  ///
  /// `storectl schema show --format json` writes such schemas. A file without a model is read by
  /// the names of its tables and columns. Its schema can be written, corrected, and specified here.
  public var schemaURL: URL?
  /// Whether to read the file itself instead of a private copy.
  ///
  /// This saves the copy of a large file. Then the store does not open a file with a log, and no
  /// program may write to the file while it is open.
  public var isInPlace = false
  /// The treatment of values that cannot be read.
  public var unreadableValues = UnreadableValuePolicy.fail
  /// Whether archives and JSON texts in transformable attributes are decoded; otherwise the values
  /// of such attributes are their bytes.
  public var decodesTransformables = true
  /// Whether every object has the property `coreDataURI` with its Core Data address,
  /// `x-coredata://…`.
  public var keepsURIs = false
  /// The differences between the model of the file and that of the store.
  package var modelChanges = ModelChanges()

  /// Creates a configuration.
  public init(_ name: String? = nil, schema: Schema? = nil, url: URL) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
  }

  /// Returns whether two configurations have the same file and read it in the same way.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.url == rhs.url && lhs.modelURL == rhs.modelURL && lhs.schemaURL == rhs.schemaURL
      && lhs.isInPlace == rhs.isInPlace
      && lhs.unreadableValues == rhs.unreadableValues && lhs.keepsURIs == rhs.keepsURIs
      && lhs.decodesTransformables == rhs.decodesTransformables
      && lhs.modelChanges == rhs.modelChanges
  }

  /// Hashes the file.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
  }
}
