public import Foundation
public import StoreProtocol

/// The description of a store of Core Data or Apple's SwiftData, which is only read.
public struct CoreDataStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The name of the property that has the address of an object.
  public static let uriProperty = "coreDataURI"
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
  /// A schema as JSON, as `storectl schema show --format json` writes it, to read the file by, or `nil`.
  ///
  /// A file without a model is read by the names of its tables and columns; that schema can be written,
  /// corrected, and named here.
  public var schemaURL: URL?
  /// Whether to read the file itself instead of a private copy.
  ///
  /// This saves the copy of a large file. A file with a log is then refused, and no program may
  /// write the file meanwhile.
  public var isInPlace = false
  /// What becomes of values that cannot be read.
  public var unreadableValues = UnreadableValuePolicy.fail
  /// Whether archives and JSON texts in transformable attributes are decoded; otherwise such
  /// attributes are their bytes.
  public var decodesTransformables = true
  /// Whether every object has the address that Core Data gave it, `x-coredata://…`, as the property
  /// `coreDataURI`.
  public var keepsURIs = false
  /// The differences between the model of the file and that of the store.
  package var modelChanges = ModelChanges()

  /// Creates a configuration.
  public init(_ name: String? = nil, schema: Schema? = nil, url: URL) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
  }

  /// Compares the files and how they are read.
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
