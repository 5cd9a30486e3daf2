extension CompletionScript {
  /// Commands, options and their values by the words before; file names everywhere else.
  static func bash(_ program: String, _ places: [Place]) -> String {
    let known = places.dropFirst().map(\.path).joined(separator: " | ")
    var lines = [
      "# Completes the words of \(program) in bash.",
      "_\(program)() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}",
      "  local path= options= commands= index",
      "  for ((index = 1; index < COMP_CWORD; index++)); do",
      "    case \"$path/${COMP_WORDS[index]}\" in",
      "      \(known)) path=\"$path/${COMP_WORDS[index]}\" ;;",
      "    esac",
      "  done",
      "  case \"$path $before\" in",
    ]
    for place in places {
      for option in place.options where !option.isFlag {
        let patterns = words(of: option).map { "\"\(place.path) \($0)\"" }
        let values = option.choices.joined(separator: " ")
        let answer =
          values.isEmpty ? "$(compgen -f -- \"$word\")" : "$(compgen -W \"\(values)\" -- \"$word\")"
        lines.append("    \(patterns.joined(separator: " | ")))")
        lines.append("      COMPREPLY=(\(answer))")
        lines.append("      return ;;")
      }
    }
    lines += ["  esac", "  case \"$path\" in"]
    for place in places {
      let options = place.options.flatMap(words).joined(separator: " ")
      let commands = place.command.commands.map(\.name).joined(separator: " ")
      lines.append("    \"\(place.path)\") options=\"\(options)\" commands=\"\(commands)\" ;;")
    }
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
}
