import ModelMacroExpansion

/// The compiler plugin.
@main
enum CompilerPlugin {
  static func main() { Plugin.run() }
}
