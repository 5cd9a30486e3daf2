import Foundation
import StoreFiles
import StoreProtocol

/// Where a JSON store lives and how careful it is.
///
/// ```swift
/// let container = try ModelContainer(
///   for: Trip.self, configurations: JSONFileStoreConfiguration(url: url))
/// ```
public struct JSONFileStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The kind of store that this configures.
  public typealias Store = JSONFileStore

  /// A name for messages and to tell configurations apart.
  public let name: String
  /// The models kept in this store; nil takes the schema of the file, or of the container.
  public var schema: Schema?
  /// The document; the journal and the lock lie beside it under names that begin with its name.
  public let url: URL
  /// Whether changes can be saved.
  public let allowsSave: Bool
  /// What survives when a save returned.
  public let durability: StoreCapabilities.Durability
  /// A Boolean value that says whether a store that is opened to read takes no lock.
  ///
  /// Such a store has the state of the last save before it was opened, also while another process
  /// has the store, and blocks no other program. Data in files of their own is gone if it was replaced since.
  /// Only a configuration that does not allow saving can have it.
  public var readsWithoutLock = false
  /// How many seconds opening waits for another process before it throws `storeBusy`.
  public var busyTimeout: Double = 5
  /// The size of the journal in bytes above which a save folds it into the document.
  ///
  /// nil lets it grow to the size of the document and to four megabytes at least.
  public var journalLimit: Int?
  /// Whether saves go to a journal beside the document.
  ///
  /// Without, each save writes the whole document anew and puts it in the place of the old one, so
  /// that the store is one file at any time, to be archived or sent: saves then cost what the store
  /// is large. A journal that is found when the store is opened to save is folded first.
  public var usesJournal = true
  /// How the text of the document stands in lines; both are read, whatever this says.
  ///
  /// A document of the other layout is written anew when it is next written at all.
  public var layout = Layout.lines
  /// A Boolean value that says whether opening creates the folder of a store that does not exist yet.
  ///
  /// It is true of a configuration, and false of a URL without the option `folder=create`, in which a
  /// mistake would create a store in the wrong place.
  public var createsFolder = true
  /// What the store remembers of its saves, and for how long.
  public var history = HistoryOptions()
  /// The largest document, and the largest journal, in bytes.
  ///
  /// Opening takes memory in proportion to both. A larger file is refused with
  /// ``DataStoreError/invalidConfiguration``, and a save that would need one with
  /// ``DataStoreError/notSaved``.
  public var maximumDocumentSize = 4 << 30

  /// The length in bytes above which data of an `.externalStorage` attribute lies in a file of its
  /// own beside the document; `Int.max` keeps all data in the document.
  ///
  /// Values that lie elsewhere are moved when they are next written.
  public var externalStorageThreshold = 16 << 10

  /// The length in bytes of the largest value in a file of its own.
  ///
  /// Values are read into memory whole. Saving a larger one is ``DataStoreError/invalidValue``, and
  /// reading one ``DataStoreError/invalidConfiguration``.
  public var maximumExternalValueSize = 1 << 30

  /// The size of a document in bytes from which on folding is first tried on a thread of its own.
  var leastFoldedAside = 1 << 20

  /// The system calls, which tests replace; no part of what makes configurations equal.
  var access: any FileAccess = SystemFileAccess()

  /// Creates the configuration of a document.
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
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    self.durability = durability
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
    guard !readsWithoutLock || !allowsSave else {
      throw DataStoreError(
        .invalidConfiguration,
        "a store that takes no lock can only be read; set allowsSave to false"
      )
    }
    guard externalStorageThreshold >= 0 else {
      throw DataStoreError(
        .invalidConfiguration,
        "the threshold of external storage must not be negative"
      )
    }
    guard url.isFileURL else {
      throw DataStoreError(
        .invalidConfiguration,
        "a JSON store needs a file URL, not \(url.scheme ?? "none")"
      )
    }
    if let objection = FileName.objection(toPath: path) {
      throw DataStoreError(.invalidConfiguration, objection, file: path)
    }
  }

  /// The path of the document.
  var path: String { url.path(percentEncoded: false) }

  /// Compares everything that a program can set.
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

  /// Hashes the name and the place.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(url)
  }
}
