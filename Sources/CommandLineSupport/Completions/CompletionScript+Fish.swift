extension CompletionScript {
  /// Returns a script with one `complete` for each command and each option, conditional on the
  /// preceding words.
  static func fish(_ program: String, _ contexts: [CompletionContext]) -> String {
    let paths = contexts.dropFirst().map { quoted($0.path) }.joined(separator: " ")
    let condition = "__\(program)_at"
    var lines = [
      "# Completes the words of \(program) in fish.",
      "function \(condition)",
      "  set -l path ''",
      "  for word in (commandline -opc)[2..-1]",
      "    if contains -- \"$path/$word\" \(paths)",
      "      set path \"$path/$word\"",
      "    end",
      "  end",
      "  test \"$path\" = \"$argv[1]\"",
      "end",
    ]
    for context in contexts {
      let start = "complete -c \(program) -n \(quoted("\(condition) '\(context.path)'"))"
      for command in context.command.commands {
        lines.append("\(start) -f -a \(command.name) -d \(quoted(command.summary))")
      }
      for option in context.options {
        var words = option.short.map { "-s \($0) " } ?? ""
        words += "-l \(option.name)"
        if !option.isFlag {
          words +=
            option.choices.isEmpty
            ? " -r" : " -x -a \(quoted(option.choices.joined(separator: " ")))"
        }
        lines.append("\(start) \(words) -d \(quoted(option.summary))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacingScalars { $0 == "\\" || $0 == "'" ? "\\\($0)" : nil } + "'"
  }
}
