import Foundation
import Testing

@Suite("Untrusted input", .serialized)
struct RegressionTests {
  /// The inputs that were once read incorrectly, by target.
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Regressions")

  private static func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func `has a target for each folder of earlier bugs`() throws {
    let names = try Self.names(in: Self.folder)
    #expect(!names.isEmpty && names.allSatisfy { FuzzTarget(rawValue: $0) != nil }, "\(names)")
  }

  @Test(arguments: FuzzTarget.allCases)
  func `is read if it is valid`(_ target: FuzzTarget) throws {
    for seed in try target.seeds() { try target.run(seed) }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `is refused or read correctly after an earlier bug`(_ target: FuzzTarget) throws {
    let folder = Self.folder.appending(path: target.rawValue)
    // A target without bugs has no folder.
    guard try Self.names(in: Self.folder).contains(target.rawValue) else { return }
    for name in try Self.names(in: folder) {
      do {
        try target.run(Array(Data(contentsOf: folder.appending(path: name))))
      } catch {
        Issue.record("\(target.rawValue)/\(name): \(error)")
      }
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `is refused or read if it is truncated`(_ target: FuzzTarget) throws {
    for seed in try target.seeds() {
      for count in stride(from: 0, to: seed.count, by: max(1, seed.count / 40)) {
        try target.run(Array(seed.prefix(count)))
      }
    }
  }
}
