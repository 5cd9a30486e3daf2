import Foundation
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

  /// Writes a copy of the store to an unused location.
  func backup(to url: URL, access: any FileAccess) throws {
    try valueFiles.beginReading(patience: 0)
    defer { valueFiles.endReading() }
    let moment = try moment()
    let backup = StoreBackup(
      moment: moment,
      draft: draft(of: moment.state),
      valueFiles: valueFiles,
      path: path
    )
    try backup.write(to: url, access: access)
  }
}
