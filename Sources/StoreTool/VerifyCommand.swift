import CommandLineSupport
import OpenSwiftData

/// `storectl verify`: checks a store for damage.
enum VerifyCommand {
  static let command = Command(
    "verify",
    "Checks all content of a store for damage, without changing it.",
    discussion: """
      Checks the files, rows and values, references to missing objects, relationships
      whose ends disagree, and duplicate unique values. Prints one line for each
      problem, and exits with status 1 if there is one. storectl repair fixes some
      problems.
      """,
    options: [InfoCommand.format],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let opened = try OpenedStore(try invocation.required(OpenedStore.argument))
    let problems = try problems(opened)
    if try InfoCommand.isJSON(invocation) {
      console.write(try JSONText.encoding(problems.map(ShownProblem.init)))
      if problems.isEmpty { return }
    } else {
      for problem in problems { console.print(problem.description.visible) }
    }
    guard problems.isEmpty else { throw failure(problems.count) }
    console.print("No problems were found.")
  }

  /// A problem in the output of `--format json`.
  private struct ShownProblem: Encodable {
    let message: String
    let object: String?
    let entity: String?
    let property: String?
    let file: String?

    init(_ problem: StoreProblem) {
      message = problem.message
      object = problem.identifier?.description
      entity = problem.entity
      property = problem.property
      file = problem.file
    }
  }

  static func failure(_ count: Int) -> CommandFailure {
    CommandFailure(count == 1 ? "the store has a problem" : "the store has \(count) problems")
  }

  /// Returns all problems, or those that the store itself finds if rows cannot be read at all.
  private static func problems(_ opened: OpenedStore) throws -> [StoreProblem] {
    do {
      return try StoreCheck(opened).problems
    } catch {
      guard let store = opened.store as? any MaintainableStore else { throw error }
      let found = try store.verify()
      if found.isEmpty { throw error }
      return found
    }
  }
}
