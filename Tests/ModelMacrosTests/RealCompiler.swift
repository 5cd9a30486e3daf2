import Foundation
import Testing

/// Type-checks a file that imports the modules of these tests.
enum RealCompiler {
  /// Returns the errors and warnings, each with the line of the file that it points to.
  static func output(_ source: String, _ options: [String] = []) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Models.swift")
    try Data(source.utf8).write(to: file)
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let built = bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["swiftc", "-typecheck", "-swift-version", "6"] + options + [
        "-I", built.appending(path: "Modules").path, "-load-plugin-executable",
        built.appending(path: "ModelMacros-tool").path + "#ModelMacros", file.path,
      ]
    let output = Pipe()
    (process.standardError, process.standardOutput) = (output, FileHandle.nullDevice)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect((process.terminationStatus == 0) == !text.contains("error:"))
    return text
  }
}
