import CommandLineSupport
import OpenSwiftData

/// `flights copy`: brings everything from one store to another and compares both.
enum CopyCommand {
  static let source = Option("from", value: "URL", "The store to read.", isRequired: true)
  static let target = Option("to", value: "URL", "The empty store to fill.", isRequired: true)

  static let command = Command(
    "copy",
    "Copies all objects from one store to another and compares both.",
    options: [source, target]
  ) { invocation, console in
    let from = try StoreOption.open(try invocation.required(source))
    let to = try StoreOption.open(try invocation.required(target))
    var bar: ProgressBar?
    defer { bar?.finish() }
    let report = try from.copy(to: to) { copied, total in
      if bar == nil { bar = ProgressBar("copy", total: total, console: console) }
      bar?.advance(to: copied)
    }
    var table = TextTable([.text("Entity"), .number("Copied and compared")])
    for (entity, count) in report.counts.sorted(by: { $0.key < $1.key }) {
      table.append([entity, "\(count)"])
    }
    console.write(table.text(width: console.width))
  }
}
