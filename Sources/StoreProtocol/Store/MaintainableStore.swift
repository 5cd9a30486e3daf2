import Foundation

/// A store that can be looked after while it is open, also while others use it.
public protocol MaintainableStore: DataStore {
  /// Looks for damage in all that the store holds, and changes nothing.
  ///
  /// Looked at are the form of the files, the rows and their values, references that lead nowhere,
  /// what must be unique, and values that lie in files of their own.
  ///
  /// - Returns: What is wrong, in no particular order; nothing where all is well.
  /// - Throws: What reading throws where the store cannot be looked at to its end.
  /// - Complexity: O(*n*) in the size of the store.
  func verify() throws -> [StoreProblem]

  /// Brings the store into its smallest form: what was deleted leaves its files, and what was
  /// written beside them since goes into them.
  ///
  /// - Throws: What a save throws; the store is then as it was.
  /// - Complexity: O(*n*) in the size of the store.
  func compact() throws

  /// Writes a copy of the store, as it is at one moment, to a place where there is nothing.
  ///
  /// The copy has the identifiers of the store, and is a store of the same kind; values in files of
  /// their own are copied along. It is on the medium when this returns. Others may read and save
  /// meanwhile.
  ///
  /// - Parameter url: The file that is to become the copy.
  /// - Throws: ``DataStoreError/io`` where something is there already or the system refuses; then
  ///   nothing is left there.
  /// - Complexity: O(*n*) in the size of the store.
  func backup(to url: URL) throws
}

/// Something wrong that ``MaintainableStore/verify()`` found in a store.
public struct StoreProblem: Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, as a sentence without its end.
  public let message: String
  /// The row that it concerns, where it concerns one.
  public let identifier: PersistentIdentifier?
  /// The entity that it concerns, where it concerns one.
  public let entity: String?
  /// The property that it concerns, where it concerns one.
  public let property: String?
  /// The file that it concerns, where that is known.
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

  /// The place and the message in one line: `Trip/4.name: the text is no UTF-8 (trips.db)`.
  public var description: String {
    let object = identifier.map(String.init(describing:)) ?? entity ?? ""
    let place = property.map { object.isEmpty ? $0 : "\(object).\($0)" } ?? object
    return (place.isEmpty ? message : "\(place): \(message)") + (file.map { " (\($0))" } ?? "")
  }
}
