import StoreProtocol

/// The problems that are found in a store, up to a number that a person can still look through.
final class ProblemList {
  /// How many problems are told.
  static let longest = 1_000

  private(set) var problems: [StoreProblem] = []

  /// Whether no more are taken.
  var isFull: Bool { problems.count >= Self.longest }

  func note(_ problem: StoreProblem) {
    guard !isFull else { return }
    problems.append(problem)
    guard isFull else { return }
    problems.append(StoreProblem("there may be more problems; mend these first"))
  }

  /// Runs a check, and notes the damage that keeps it from its end.
  ///
  /// - Throws: What is no damage: a file that cannot be read, a store that is busy.
  func attempt(file: String?, _ check: () throws -> Void) throws {
    if isFull { return }
    do {
      try check()
    } catch let error as SQLiteError where error.kind == .corrupt || error.kind == .notADatabase {
      note(StoreProblem("SQLite finds damage: \(error.message)", file: file))
    } catch let error as DataStoreError
      where error.code == .storeDamaged || error.code == .storeNotTrusted
    {
      note(StoreProblem(error, file: file))
    }
  }
}

extension StoreProblem {
  /// The problem that an error tells of.
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
