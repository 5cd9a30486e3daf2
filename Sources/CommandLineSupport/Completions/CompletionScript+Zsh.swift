extension CompletionScript {
  /// Returns a script with a function for each command, built from `_arguments`.
  static func zsh(_ program: String, _ contexts: [CompletionContext]) -> String {
    var lines = ["#compdef \(program)"]
    for context in contexts {
      lines += ["", "\(context.function)() {"]
      lines += context.command.commands.isEmpty ? leaf(context) : branch(context)
      lines.append("}")
    }
    lines += ["", "_\(program) \"$@\""]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func leaf(_ context: CompletionContext) -> [String] {
    let specifications = context.options.flatMap(specifications) + arguments(of: context.command)
    return ["  _arguments \\"] + specifications.map { "    \($0) \\" } + ["    && return"]
  }

  private static func branch(_ context: CompletionContext) -> [String] {
    var lines = ["  local state line", "  local -a commands", "  _arguments -C \\"]
    lines += context.options.flatMap(specifications).map { "    \($0) \\" }
    lines += ["    '1: :->command' \\", "    '*:: :->rest'", "  case $state in", "    command)"]
    lines.append("      commands=(")
    for command in context.command.commands {
      lines.append("        '\(quoted(command.name)):\(quoted(command.summary))'")
    }
    lines += [
      "      )", "      _describe command commands ;;", "    rest)", "      case $line[1] in",
    ]
    for command in context.command.commands {
      lines.append("        \(command.name)) \(context.function)_\(command.name) ;;")
    }
    return lines + ["      esac ;;", "  esac"]
  }

  private static func specifications(of option: Option) -> [String] {
    let mark = option.isRepeatable ? "*" : ""
    let value = option.value.map { value in
      let choices = option.choices.joined(separator: " ")
      return ":\(quoted(value)):\(choices.isEmpty ? "_files" : "(\(choices))")"
    }
    return words(of: option).map { word in
      let ending = option.isFlag ? "" : word.hasPrefix("--") ? "=" : "+"
      return "'\(mark)\(word)\(ending)[\(quoted(option.summary))]\(value ?? "")'"
    }
  }

  private static func arguments(of command: Command) -> [String] {
    command.arguments.enumerated().map { offset, argument in
      let position = argument.takesAllWords ? "*" : "\(offset + 1)"
      return "'\(position):\(quoted(argument.name)):_files'"
    }
  }

  /// Returns a string within single quotes, with brackets and colons escaped.
  private static func quoted(_ text: String) -> String {
    text.replacingScalars { scalar in
      switch scalar {
      case "'": "'\\''"
      case "[", "]", ":", "\\": "\\\(scalar)"
      default: nil
      }
    }
  }
}
