import CommandLineSupport
import OpenSwiftData

/// `flights report`: asks all questions, or one.
enum ReportCommand {
  static let format = Option(
    "format",
    value: "FORM",
    "The form of the answers.",
    choices: ["text", "json"],
    default: "text"
  )
  static let question = Option("question", short: "q", value: "N", "Ask the Nth question alone.")

  static let importFirst = Option.flag(
    "import",
    "Import the files first, as 'flights import' does; a store in memory needs it."
  )

  static let command = Command(
    "report",
    "Asks a store fifteen questions about flights.",
    discussion: "The answers are the same, byte for byte, for every store with the same flights.",
    options: [
      StoreOption.store, format, question, importFirst, ImportCommand.data, ImportCommand.limit,
    ]
  ) { invocation, console in
    let container = try StoreOption.open(try invocation.required(StoreOption.store))
    if invocation.isSet(importFirst) {
      _ = try ImportCommand.run(invocation, into: container, console)
    }
    let number = try invocation.integer(question, in: 1...Question.all.count)
    let asked = Question.all.enumerated().filter { number == nil || $0.offset + 1 == number }
    var report = Report()
    for (offset, question) in asked {
      // A context of its own frees what the answer before had to load.
      let answer = try question.answer(ModelContext(container))
      if try invocation.required(format) == "text" {
        console.print("\(offset + 1). \(question.title)\n")
        console.print(answer.text(width: Terminal.defaultWidth))
      } else {
        report.questions.append(Report.Entry(title: question.title, answer: answer))
      }
    }
    if try invocation.required(format) == "json" { console.write(try JSONText.encoding(report)) }
  }
}

/// The whole report in its machine-readable form.
private struct Report: Encodable {
  struct Entry: Encodable {
    let title: String
    let answer: Answer
  }

  var questions: [Entry] = []
}
