import ModelMacroExpansion

@main
enum CompilerPlugin {
  static func main() { Plugin.run() }
}
