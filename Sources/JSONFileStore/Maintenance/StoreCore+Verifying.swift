import StoreFiles
import StoreProtocol

extension StoreCore {
  /// Checks the files and their rows for damage.
  func verify() throws -> [StoreProblem] {
    // Before choosing the state whose rows name files.
    try valueFiles.beginReading(patience: 0)
    defer { valueFiles.endReading() }
    var verification = StoreVerification(self, try moment())
    try verification.run()
    return verification.problems
  }
}
