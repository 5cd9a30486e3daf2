import StoreProtocol

extension Folder {
  /// Returns the objection to writing a store in this folder, or `nil` if there is none.
  ///
  /// If every user may rename and remove the files of others, any user can replace a store, its
  /// journal or its lock at any moment. The sticky bit prevents that.
  package func objectionToWriting() throws(FileError) -> DataStoreError? {
    guard try status().letsEverybodyReplaceNames else { return nil }
    return DataStoreError(
      .storeNotTrusted,
      "everybody may replace the files in the store's folder; take that right away"
        + " (chmod o-w), or give the store a folder of its own, which is made where there is none",
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
      "the file is mounted by itself, so that others reach it by another name, with other files"
        + " beside it; mount the folder that it is in",
      file: path
    )
  }
}
