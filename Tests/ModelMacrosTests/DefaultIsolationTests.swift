import Foundation
import Testing

@Suite("A model in a module with default isolation to the main actor", .serialized)
struct DefaultIsolationTests {
  private static let model = """
    import ModelLayer
    enum Season: Codable { case spring, summer(days: Int) }
    @Model final class Tag {
      var word: String
      var season: Season = Season.spring
      init(word: String) { self.word = word }
    }
    func sorted(_ tags: [Tag]) -> [Tag] { tags.sorted { $0.word < $1.word } }
    """
  private static let order = "static func < (lhs: Tag, rhs: Tag) -> Bool { lhs.word < rhs.word }"

  /// Returns the errors of the compiler for a file that imports the modules of these tests.
  private static func errors(_ source: String) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Models.swift")
    try Data(source.utf8).write(to: file)
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let built = bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "swiftc", "-typecheck", "-swift-version", "6", "-default-isolation", "MainActor",
      "-I", built.appending(path: "Modules").path, "-load-plugin-executable",
      built.appending(path: "ModelMacros-tool").path + "#ModelMacros", file.path,
    ]
    let output = Pipe()
    (process.standardError, process.standardOutput) = (output, FileHandle.nullDevice)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect((process.terminationStatus == 0) == !text.contains("error:"))
    return text.contains("error:") ? text : ""
  }

  @Test(arguments: [
    "",
    "nonisolated extension Tag: Comparable { \(order) }",
    "extension Tag: nonisolated Comparable { \(order) }",
    "extension Tag: Comparable { \(order) }\nnonisolated extension Tag: Equatable {}",
  ])
  func `compiles with conformances in nonisolated extensions`(addition: String) throws {
    #expect(try Self.errors("\(Self.model)\n\(addition)") == "")
  }

  @Test func `compiles with a conformance of the class itself`() throws {
    let source = Self.model.replacing("class Tag {", with: "class Tag: Comparable {\n\(Self.order)")
    #expect(try Self.errors(source) == "")
  }

  // The extension implies a conformance to Equatable on the main actor, which hides that of the
  // model. A macro cannot detect this: an explicit conformance would collide with an `==` in an
  // extension. If a compiler accepts this, remove the advice from the guide for SwiftData users.
  @Test func `does not compile with an isolated extension, and explains the fix`() throws {
    let errors = try Self.errors("\(Self.model)\nextension Tag: Comparable { \(Self.order) }")
    #expect(errors.contains("conformance of 'Tag' to protocol 'Hashable' crosses into main actor"))
    #expect(errors.contains("conform in a `nonisolated extension`"))
  }
}
