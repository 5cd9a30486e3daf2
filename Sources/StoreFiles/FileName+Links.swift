extension FileName {
  /// Returns the path of the file that a store's path refers to.
  ///
  /// If the last name of the path is a symbolic link, the result is the path of its target, so that
  /// all programs find the same lock and the same log beside the store. A link that leads nowhere, or
  /// to or through a link of another user, is not followed: opening its path is then refused.
  package static func withoutLink(_ path: String) -> String {
    var next = path
    for _ in 0..<longestChain {
      guard let status = try? SystemFileAccess().status(of: next, in: Syscalls.workingFolder) else {
        return path
      }
      guard status.kind == .link else {
        return next == path ? path : Syscalls.resolved(next) ?? path
      }
      guard [0, Syscalls.userIdentifier].contains(status.owner),
        let target = Syscalls.target(of: next)
      else { return path }
      next = target.hasPrefix("/") ? target : split(next).folder + "/" + target
    }
    return path
  }

  /// The number of links in a row that are followed, as on Linux.
  private static var longestChain: Int { 40 }
}
