import StoreProtocol

extension Folder {
  /// Returns the objection to writing a store in this folder, or `nil` if there is none.
  ///
  /// If every user may rename and remove the files of others, any user can replace a store, its
  /// journal or its lock at any moment. The sticky bit prevents that.
  package func objectionToWriting() throws(FileError) -> DataStoreError? {
    guard try status().allowsReplacementByAnyone else { return nil }
    return DataStoreError(
      .storeNotTrusted,
      "all users can replace files in the store's folder; remove that permission (chmod o-w), or "
        + "use a separate folder, which is created if it does not exist",
      file: path
    )
  }
}

extension FileExtent {
  /// Returns the objection to a store whose file is itself a mount point, or `nil` if it is not.
  ///
  /// Such a file has another name elsewhere, with another log or journal and another lock beside
  /// it.
  package func objectionToMount(_ path: String) -> DataStoreError? {
    guard isMounted else { return nil }
    return DataStoreError(
      .storeNotTrusted,
      "the file is mounted by itself, so that its other path has other files beside it; mount the "
        + "folder that contains it",
      file: path
    )
  }
}
