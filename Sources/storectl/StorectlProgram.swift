import StoreTool

/// The program `storectl`.
@main
enum StorectlProgram {
  static func main() async {
    await Storectl.main()
  }
}
