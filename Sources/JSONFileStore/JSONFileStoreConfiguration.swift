import Foundation
import StoreFiles
import StoreProtocol

/// The location and the options of a JSON store.
///
/// ```swift
/// let container = try ModelContainer(
///   for: Trip.self, configurations: JSONFileStoreConfiguration(url: url))
/// ```
public struct JSONFileStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The type of the store.
  public typealias Store = JSONFileStore

  /// A name for messages, which distinguishes configurations.
  public let name: String
  /// The models kept in this store; `nil` means the schema of the file or of the container.
  public var schema: Schema?
  /// The document; the journal and the lock are beside it, with names that start with its name.
  public private(set) var url: URL
  /// Whether changes can be saved.
  public let allowsSave: Bool
  /// The guarantee for a save that has returned.
  public let durability: StoreCapabilities.Durability
  /// Whether a store that is opened read-only takes no lock.
  ///
  /// Such a store has the state of the last save before it was opened, even while another process
  /// has the store open. It blocks no other program. Data in separate files becomes unavailable if
  /// it is replaced later. Only a configuration that does not allow saving can have this option.
  public var readsWithoutLock = false
  /// The time in seconds for which opening waits for another process before it throws `storeBusy`.
  public var busyTimeout: Double = 5
  /// The size of the journal, in bytes, above which a save checkpoints it into the document.
  ///
  /// `nil` lets it grow to the size of the document, and to at least four megabytes.
  public var journalLimit: Int?
  /// Whether saves are appended to a journal beside the document.
  ///
  /// Without a journal, each save rewrites the whole document and replaces the old one. The store
  /// is then always one file, which can be archived or sent. The cost of a save is then
  /// proportional to the size of the store. An existing journal is checkpointed when the store is
  /// opened for saving.
  public var usesJournal = true
  /// The line layout of the document; both layouts can be read regardless of it.
  ///
  /// A document in the other layout is converted when it is next written.
  public var layout = Layout.lines
  /// Whether opening creates the folder of a new store.
  ///
  /// It is `true` for a configuration, and `false` for a URL without the option `folder=create`. A
  /// mistake in a URL would create a store in the wrong location.
  public var createsFolder = true
  /// The options for the content and retention of the history.
  public var history = HistoryOptions()
  /// The maximum size of the document and of the journal, in bytes.
  ///
  /// Opening takes memory in proportion to both. A larger file is rejected with
  /// ``DataStoreError/invalidConfiguration``, and a save that would exceed the limit with
  /// ``DataStoreError/notSaved``.
  public var maximumDocumentSize = 4 << 30

  /// The length in bytes above which data of an `.externalStorage` attribute is stored in a
  /// separate file beside the document.
  ///
  /// `Int.max` keeps all data in the document. Existing values are moved when they are next
  /// written.
  public var externalStorageThreshold = 16 << 10

  /// The maximum length in bytes of a value in a separate file.
  ///
  /// Values are read into memory as a whole. Saving a larger one throws
  /// ``DataStoreError/invalidValue``, and reading one throws
  /// ``DataStoreError/invalidConfiguration``.
  public var maximumExternalValueSize = 1 << 30

  /// The minimum size in bytes of a document for a background checkpoint.
  package var backgroundCheckpointSize = 1 << 20

  /// The system calls, which tests replace; they are not compared.
  package var access: any FileAccess = SystemFileAccess()

  /// Creates the configuration of a document.
  ///
  /// - Parameters:
  ///   - name: A name for messages, or `nil` for the file's name without its extension.
  ///   - schema: The models, or `nil` for those of the container or of the file.
  ///   - url: The file, which is created when the store is opened, if there is none.
  ///   - allowsSave: Whether changes can be saved; if not, a missing store is not created.
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

  /// Checks that the location can be used for a store.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` with what to fix.
  public func validate() throws {
    let isTimeout = busyTimeout >= 0 && busyTimeout <= 86_400
    try require(isTimeout, "the busy timeout must be from 0 to 86400 seconds")
    try require(
      !readsWithoutLock || !allowsSave,
      "a store without a lock must be read-only; set allowsSave to false"
    )
    try require(
      externalStorageThreshold >= 0,
      "the threshold of external storage must not be negative"
    )
    try require(url.isFileURL, "a JSON store needs a file URL, not \(url.scheme ?? "none")")
    if let objection = FileName.objection(toPath: path) {
      throw DataStoreError(.invalidConfiguration, "\(objection); use another path", file: path)
    }
  }

  private func require(_ condition: Bool, _ sentence: String) throws {
    if !condition { throw DataStoreError(.invalidConfiguration, sentence) }
  }

  /// Returns the configuration of the document to which a symbolic link refers.
  func withoutLink() -> Self {
    let target = FileName.withoutLink(path)
    guard target != path else { return self }
    var followed = self
    followed.url = URL(filePath: target)
    return followed
  }

  /// The path of the document.
  var path: String { url.path(percentEncoded: false) }

  /// Compares all members that a program can set.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.name == rhs.name && lhs.schema == rhs.schema && lhs.url == rhs.url
      && lhs.allowsSave == rhs.allowsSave && lhs.durability == rhs.durability
      && lhs.busyTimeout == rhs.busyTimeout && lhs.journalLimit == rhs.journalLimit
      && lhs.maximumDocumentSize == rhs.maximumDocumentSize
      && lhs.usesJournal == rhs.usesJournal && lhs.layout == rhs.layout
      && lhs.externalStorageThreshold == rhs.externalStorageThreshold
      && lhs.maximumExternalValueSize == rhs.maximumExternalValueSize
      && lhs.history == rhs.history && lhs.createsFolder == rhs.createsFolder
      && lhs.readsWithoutLock == rhs.readsWithoutLock
  }

  /// Hashes the name and the location.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(url)
  }
}
