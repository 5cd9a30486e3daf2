import StoreProtocol

/// How objects are put into sections.
struct Sectioning<Element: PersistentModel, SectionTitle: Hashable> {
  /// What the order begins with.
  let keyPath: PartialKeyPath<Element>
  /// The title of an object's section.
  let title: (Element) -> SectionTitle

  private init(_ keyPath: PartialKeyPath<Element>, title: @escaping (Element) -> SectionTitle) {
    self.keyPath = keyPath
    self.title = title
  }

  /// Takes the titles from a key path.
  init(_ keyPath: KeyPath<Element, SectionTitle>) {
    self.init(keyPath) { $0[keyPath: keyPath] }
  }

  /// Takes the titles from a key path of which only the root is known.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` where it leads to no title.
  init(_ keyPath: PartialKeyPath<Element>) throws {
    if let path = keyPath as? KeyPath<Element, SectionTitle> {
      self.init(path)
    } else if let path = keyPath as? KeyPath<Element, SectionTitle?>,
      let untitled = "" as? SectionTitle
    {
      self.init(keyPath) { $0[keyPath: path] ?? untitled }
    } else {
      throw SwiftDataError.unsupportedKeyPath.with(
        "the key path for sections leads to a \(type(of: keyPath).valueType), not to a "
          + "\(SectionTitle.self)",
        entity: Schema.entityName(for: Element.self)
      )
    }
  }
}

extension Sectioning where SectionTitle == String {
  /// Takes the titles from a key path that may lead to nothing; that is the empty title.
  init(optional keyPath: KeyPath<Element, String?>) {
    self.init(keyPath) { $0[keyPath: keyPath] ?? "" }
  }
}
