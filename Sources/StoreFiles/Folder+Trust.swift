import StoreProtocol

extension Folder {
  /// What speaks against writing a store in this folder, nil for nothing.
  ///
  /// Where everybody may rename and remove what belongs to others, anybody can put another file in
  /// the place of a store, its journal or its lock, at any moment. The sticky bit forbids that.
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
