extension CompletionScript {
  /// Returns a script that completes commands, options and their values by the preceding words, and
  /// file names elsewhere.
  static func bash(_ program: String, _ contexts: [CompletionContext]) -> String {
    let paths = contexts.dropFirst().map(\.path).joined(separator: " | ")
    var lines = [
      "# Completes the words of \(program) in bash.",
      "_\(program)() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}",
      "  local path= options= commands= index",
      "  for ((index = 1; index < COMP_CWORD; index++)); do",
      "    case \"$path/${COMP_WORDS[index]}\" in",
      "      \(paths)) path=\"$path/${COMP_WORDS[index]}\" ;;",
      "    esac",
      "  done",
      "  case \"$path $before\" in",
    ]
    lines += contexts.flatMap(bashValues)
    lines += ["  esac", "  case \"$path\" in"]
    lines += contexts.map(bashWords)
    lines += [
      "  esac",
      "  if [[ $word == -* ]]; then",
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))",
      "  elif [[ -n $commands ]]; then",
      "    COMPREPLY=($(compgen -W \"$commands help\" -- \"$word\"))",
      "  else",
      "    COMPREPLY=($(compgen -f -- \"$word\"))",
      "  fi",
      "}",
      "complete -o filenames -F _\(program) \(program)",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the completions of a command's option values: their choices, or file names.
  private static func bashValues(_ context: CompletionContext) -> [String] {
    context.options.filter { !$0.isFlag }.flatMap { option in
      let patterns = words(of: option).map { "\"\(context.path) \($0)\"" }
      let source =
        option.choices.isEmpty ? "-f" : "-W \"\(option.choices.joined(separator: " "))\""
      return [
        "    \(patterns.joined(separator: " | ")))",
        "      COMPREPLY=($(compgen \(source) -- \"$word\"))",
        "      return ;;",
      ]
    }
  }

  /// Returns the options and the inner commands of a command.
  private static func bashWords(_ context: CompletionContext) -> String {
    let options = context.options.flatMap(words).joined(separator: " ")
    let commands = context.command.commands.map(\.name).joined(separator: " ")
    return "    \"\(context.path)\") options=\"\(options)\" commands=\"\(commands)\" ;;"
  }
}
