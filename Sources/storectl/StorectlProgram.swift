import StoreTool

@main
enum StorectlProgram {
  static func main() async {
    await Storectl.main()
  }
}
