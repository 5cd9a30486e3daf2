extension FileName {
  /// Returns the path of the file that a store's path refers to.
  ///
  /// If the last name of the path is a symbolic link, the result is the path of its target, so that
  /// all programs find the same lock and the same log beside the store. A link that leads nowhere
  /// or belongs to another user is not followed: opening its path is then refused.
  package static func withoutLink(_ path: String) -> String {
    guard let status = try? SystemFileAccess().status(of: path, in: Syscalls.workingFolder),
      status.kind == .link, [0, Syscalls.userIdentifier].contains(status.owner)
    else { return path }
    return Syscalls.resolved(path) ?? path
  }
}
