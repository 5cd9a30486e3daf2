/// A script by which a shell completes the words of a program, generated from the program's
/// declarations.
package struct CompletionScript: Sendable {
  package enum Shell: String, CaseIterable, Sendable {
    /// `source <(storectl completions bash)`.
    case bash
    /// A file `_storectl` in a folder of `fpath`.
    case zsh
    /// A file `storectl.fish` in `~/.config/fish/completions`.
    case fish
  }

  package let text: String

  package init(_ program: Command, for shell: Shell) {
    let contexts = CompletionContext.all(of: program)
    text =
      switch shell {
      case .bash: Self.bash(program.name, contexts)
      case .zsh: Self.zsh(program.name, contexts)
      case .fish: Self.fish(program.name, contexts)
      }
  }

  /// A command with those that contain it.
  struct CompletionContext {
    /// The commands, the program first.
    let commands: [Command]

    var command: Command { commands[commands.count - 1] }

    /// The names below the program with a slash before each; empty for the program.
    var path: String { commands.dropFirst().reduce(into: "") { $0 += "/\($1.name)" } }

    /// The name of the function for the command.
    var function: String { "_" + commands.map(\.name).joined(separator: "_") }

    var options: [Option] { commands.declaredOptions }

    static func all(of program: Command) -> [CompletionContext] {
      func below(_ commands: [Command]) -> [CompletionContext] {
        [CompletionContext(commands: commands)]
          + (commands.last?.commands ?? []).flatMap { below(commands + [$0]) }
      }
      return below([program])
    }
  }

  /// Returns the words of an option: `--limit`, and `-l` if it has a letter.
  static func words(of option: Option) -> [String] {
    (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
  }
}
