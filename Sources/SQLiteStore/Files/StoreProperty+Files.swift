import StoreProtocol

extension StoreProperty {
  /// Whether large values of the attribute are kept in files.
  ///
  /// What SQLite has to compare by itself stays in the row: unique and indexed values, and texts with
  /// an index of words.
  func keepsFiles(in family: [StoreEntity]) -> Bool {
    isExternal && !isEphemeral && attributeType?.referenceStorage != nil
      && !mustStayInRow(in: family)
  }

  /// Whether an index of the database has the values of the attribute.
  func mustStayInRow(in family: [StoreEntity]) -> Bool {
    isSearchedText
      || family.contains { entity in
        (entity.allConstraints + entity.indices).contains { $0.contains(name) }
      }
  }
}
