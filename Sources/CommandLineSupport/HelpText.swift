/// The text of `--help`, generated from the declarations.
package struct HelpText {
  let path: [Command]

  /// The whole text, in lines of at most 80 columns if words are not longer.
  var text: String {
    let summary = Self.wrapped(command.summary, width: 80).joined(separator: "\n")
    var blocks = [summary, "USAGE: \(usage)"]
    blocks.append(block("ARGUMENTS", command.arguments.map { ($0.usage, $0.summary) }))
    blocks.append(block("COMMANDS", command.commands.map { ($0.name, line(of: $0)) }))
    blocks.append(block("OPTIONS", path.declaredOptions.map { (heading($0), details($0)) }))
    blocks.append(command.discussion)
    if !command.commands.isEmpty {
      blocks.append("See '\(name) COMMAND --help' for a command's arguments and options.")
    }
    return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private func line(of inner: Command) -> String {
    inner.summary + (inner.name == command.standardCommand ? " It is the default." : "")
  }

  /// The words that call the command.
  var name: String { path.map(\.name).joined(separator: " ") }

  private var command: Command { path[path.count - 1] }

  private var usage: String {
    let required = path.declaredOptions.filter(\.isRequired).map {
      "--\($0.name) \($0.value ?? "")"
    }
    let rest = command.commands.isEmpty ? command.arguments.map(\.usage) : ["COMMAND"]
    return ([name] + required + ["[OPTIONS]"] + rest).joined(separator: " ")
  }

  private func heading(_ option: Option) -> String {
    let short = option.short.map { "-\($0), " } ?? "    "
    let value = option.value.map { " \($0)" } ?? ""
    return "\(short)--\(option.name)\(value)"
  }

  private func details(_ option: Option) -> String {
    var text = option.summary
    if !option.choices.isEmpty { text += " One of: \(option.choices.joined(separator: ", "))." }
    if let value = option.defaultValue { text += " Default: \(value)." }
    if let variable = option.environment { text += " Also read from \(variable)." }
    return text
  }

  private func block(_ title: String, _ rows: [(String, String)]) -> String {
    guard !rows.isEmpty else { return "" }
    let indent = min(28, (rows.map { $0.0.displayWidth }.max() ?? 0) + 4)
    return rows.reduce(into: title + ":") { text, row in
      text += "\n" + Self.entry(row.0, row.1, indent: indent)
    }
  }

  private static func entry(_ heading: String, _ summary: String, indent: Int) -> String {
    let lines = wrapped(summary, width: 80 - indent)
    let margin = String(repeating: " ", count: indent)
    let first = "  " + heading
    let gap = indent - first.displayWidth
    guard gap >= 2 else {
      return ([first] + lines.map { margin + $0 }).joined(separator: "\n")
    }
    let padded = first + String(repeating: " ", count: gap) + (lines.first ?? "")
    return ([padded] + lines.dropFirst().map { margin + $0 }).joined(separator: "\n")
  }

  /// Breaks a text between words into lines of at most a given width.
  package static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.displayWidth + 1 + String(word).displayWidth <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
