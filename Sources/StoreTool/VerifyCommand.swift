import CommandLineSupport
import OpenSwiftData

/// `storectl verify`: checks a store for damage.
enum VerifyCommand {
  static let command = Command(
    "verify",
    "Looks for damage in all that a store holds, and changes nothing.",
    discussion: """
      Looked at are the files, rows and values, references that lead nowhere,
      relationships whose ends disagree, and equal values that must be unique. Prints
      one line for each problem, and leaves 1 where there is one; storectl repair puts
      some of them right.
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
    console.print("No problem was found.")
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
