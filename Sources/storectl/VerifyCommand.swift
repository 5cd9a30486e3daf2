import CommandLineSupport
import OpenSwiftData

/// `storectl verify`: looks for damage.
enum VerifyCommand {
  static let command = Command(
    "verify",
    "Looks for damage in all that a store holds, and changes nothing.",
    discussion: "Prints one line for each problem, and leaves 1 where there is one.",
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let store = try OpenedStore(try invocation.required(OpenedStore.argument))
    let problems = try store.maintainable().verify()
    for problem in problems { console.print(problem.description.visible) }
    guard problems.isEmpty else {
      throw CommandFailure(
        problems.count == 1 ? "the store has a problem" : "the store has \(problems.count) problems"
      )
    }
    console.print("No problem was found.")
  }
}
