import StoreProtocol

/// The problems that are found in a store, up to a number that a person can still read.
final class ProblemList {
  /// The maximum number of reported problems.
  static let longest = 1_000

  private(set) var problems: [StoreProblem] = []

  /// Whether no more problems are accepted.
  var isFull: Bool { problems.count >= Self.longest }

  func note(_ problem: StoreProblem) {
    guard !isFull else { return }
    problems.append(problem)
    guard isFull else { return }
    problems.append(StoreProblem("there may be more problems; fix these first"))
  }

  /// Runs a check, and reports damage that ends it early as a problem.
  ///
  /// - Throws: Errors that are no damage: a file that cannot be read, a store that is busy.
  func attempt(file: String?, _ check: () throws -> Void) throws {
    if isFull { return }
    do {
      try check()
    } catch let error as SQLiteError where error.kind == .corrupt || error.kind == .notADatabase {
      note(StoreProblem("SQLite finds damage: \(error.message)", file: file))
    } catch let error as DataStoreError
      where error == .storeDamaged || error == .storeNotTrusted
    {
      note(StoreProblem(error, file: file))
    }
  }
}

extension StoreProblem {
  /// Creates the problem that an error describes.
  init(_ error: DataStoreError, identifier: PersistentIdentifier? = nil, file: String? = nil) {
    self.init(
      error.message,
      identifier: identifier,
      entity: error.entity,
      property: error.property,
      file: error.file ?? file
    )
  }
}
