/// A program or one of its commands: its words and its action.
///
/// A program is the outermost command. Options of an outer command may precede or follow the names
/// of inner ones: `trips --store URL list` and `trips list --store URL` are equivalent.
package struct Command: Sendable {
  /// The action of a command.
  ///
  /// An ``Invocation`` contains the request, a ``Console`` receives the output. An error of type
  /// ``UsageError`` ends the program with ``ExitCode/usage``, any other with ``ExitCode/failure``.
  package typealias Action = @Sendable (Invocation, Console) async throws -> Void

  /// The word that runs the command.
  package let name: String
  /// One sentence for the help text.
  package let summary: String
  /// More lines for the help text, shown below everything else.
  package let discussion: String
  /// The version that `--version` prints; only the outermost command's is used.
  package let version: String?
  /// The options, apart from `--help`, which every command has.
  package let options: [Option]
  /// The arguments in their order.
  package let arguments: [Argument]
  /// The inner commands.
  package let commands: [Command]
  /// The name of the inner command that is meant if the words name none.
  package let standardCommand: String?

  let action: Action?

  /// Declares a command with an action, or one that only has inner commands.
  package init(
    _ name: String,
    _ summary: String,
    discussion: String = "",
    version: String? = nil,
    options: [Option] = [],
    arguments: [Argument] = [],
    commands: [Command] = [],
    standardCommand: String? = nil,
    action: Action? = nil
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.version = version
    self.options = options
    self.arguments = arguments
    self.commands = commands
    self.standardCommand = standardCommand
    self.action = action
  }
}
