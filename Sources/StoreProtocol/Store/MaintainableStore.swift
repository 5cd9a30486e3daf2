import Foundation

/// A store that can be maintained while it is open, even while others use it.
public protocol MaintainableStore: DataStore {
  /// Checks the whole store for damage without changing it.
  ///
  /// The check covers the format of the files, the rows and their values, dangling references,
  /// uniqueness, and values in separate files.
  ///
  /// - Returns: The problems, in no particular order; empty if there are none.
  /// - Throws: The errors of reading, if the store cannot be checked completely.
  /// - Complexity: O(*n*) in the size of the store.
  func verify() throws -> [StoreProblem]

  /// Reduces the store to its smallest size: removes deleted data from its files, and checkpoints
  /// its log or journal.
  ///
  /// - Throws: The errors of a save; the store is then unchanged.
  /// - Complexity: O(*n*) in the size of the store.
  func compact() throws

  /// Writes a copy of the store, as of one moment, to an unused location.
  ///
  /// The copy has the identifiers of the store and is a store of the same kind. Values in separate
  /// files are copied too. The copy is on disk when this method returns. Others may read and save
  /// meanwhile.
  ///
  /// - Parameter url: The file that becomes the copy.
  /// - Throws: ``DataStoreError/io`` if the location is in use or the system fails; then nothing is
  ///   left there.
  /// - Complexity: O(*n*) in the size of the store.
  func backup(to url: URL) throws
}

/// A problem that ``MaintainableStore/verify()`` found in a store.
public struct StoreProblem: Hashable, Sendable, CustomStringConvertible {
  /// The problem, as a sentence without a period.
  public let message: String
  /// The row that it concerns, or `nil` if it concerns none.
  public let identifier: PersistentIdentifier?
  /// The entity that it concerns, or `nil` if it concerns none.
  public let entity: String?
  /// The property that it concerns, or `nil` if it concerns none.
  public let property: String?
  /// The file that it concerns, or `nil` if it is unknown.
  public let file: String?

  /// Creates a problem.
  public init(
    _ message: String,
    identifier: PersistentIdentifier? = nil,
    entity: String? = nil,
    property: String? = nil,
    file: String? = nil
  ) {
    self.message = message
    self.identifier = identifier
    self.entity = entity ?? identifier?.entityName
    self.property = property
    self.file = file
  }

  /// The location and the message in one line: `Trip/4.name: the text is no UTF-8 (trips.db)`.
  public var description: String {
    let object = identifier.map(String.init(describing:)) ?? entity ?? ""
    let subject = property.map { object.isEmpty ? $0 : "\(object).\($0)" } ?? object
    return (subject.isEmpty ? message : "\(subject): \(message)") + (file.map { " (\($0))" } ?? "")
  }
}
