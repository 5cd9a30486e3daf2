import CommandLineSupport

/// `storectl completions`: prints a script by which a shell completes the program's words.
enum CompletionsCommand {
  private static let shell = Argument("SHELL", "The shell: bash, zsh or fish.")

  static let command: Command = Command(
    "completions",
    "Writes a script with which a shell completes commands and options.",
    discussion: """
      bash  source <(storectl completions bash), in ~/.bashrc
      zsh   storectl completions zsh > FOLDER/_storectl, for a FOLDER of $fpath
      fish  storectl completions fish > ~/.config/fish/completions/storectl.fish
      """,
    arguments: [shell]
  ) { invocation, console in
    let name = try invocation.required(shell)
    guard let shell = CompletionScript.Shell(rawValue: name) else {
      let allowed = CompletionScript.Shell.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("SHELL must be one of \(allowed), not '\(name)'")
    }
    console.write(CompletionScript(Storectl.command, for: shell).text)
  }
}
