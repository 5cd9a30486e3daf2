import ModelRuntime
import StoreProtocol

/// The assignment of objects to sections.
struct Sectioning<Element: PersistentModel, SectionTitle: Hashable> {
  /// The key path that comes first in the order.
  let keyPath: PartialKeyPath<Element>
  /// The title of an object's section.
  let title: (Element) -> SectionTitle

  private init(_ keyPath: PartialKeyPath<Element>, title: @escaping (Element) -> SectionTitle) {
    self.keyPath = keyPath
    self.title = title
  }

  /// Creates the assignment by a key path to titles.
  init(_ keyPath: KeyPath<Element, SectionTitle>) {
    self.init(keyPath) { $0[keyPath: keyPath] }
  }

  /// Creates the assignment by a key path of which only the root type is known.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` if its value is not a title.
  init(_ keyPath: PartialKeyPath<Element>) throws {
    if let path = keyPath as? KeyPath<Element, SectionTitle> {
      self.init(path)
    } else if let path = keyPath as? KeyPath<Element, SectionTitle?>,
      let untitled = "" as? SectionTitle
    {
      self.init(keyPath) { $0[keyPath: path] ?? untitled }
    } else {
      throw SwiftDataError.unsupportedKeyPath.with(
        "the key path for sections has the type \(type(of: keyPath).valueType), not "
          + "\(SectionTitle.self)",
        entity: Schema.entityName(for: Element.self)
      )
    }
  }
}

extension Sectioning where SectionTitle == String {
  /// Creates the assignment by a key path to optional titles; `nil` counts as an empty title.
  init(optional keyPath: KeyPath<Element, String?>) {
    self.init(keyPath) { $0[keyPath: keyPath] ?? "" }
  }
}
