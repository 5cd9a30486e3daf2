/// The objects of a fetch in sections of equal titles.
public struct SectionedResults<Model, SectionTitle: Hashable>: RandomAccessCollection {
  private let sections: [ResultsSection<Model, SectionTitle>]
  private let positions: [SectionTitle: Int]

  /// Groups elements into sections, in the order of their first elements.
  init(_ elements: [Model], by title: (Model) -> SectionTitle) {
    var positions: [SectionTitle: Int] = [:]
    var sections: [(title: SectionTitle, elements: [Model])] = []
    for element in elements {
      let title = title(element)
      if let position = positions[title] {
        sections[position].elements.append(element)
      } else {
        positions[title] = sections.count
        sections.append((title, [element]))
      }
    }
    self.positions = positions
    self.sections = sections.map { ResultsSection(title: $0.title, elements: $0.elements) }
  }

  /// The position of the first section.
  public var startIndex: Int { sections.startIndex }

  /// The position after the last section.
  public var endIndex: Int { sections.endIndex }

  /// The section at a position.
  public subscript(position: Int) -> ResultsSection<Model, SectionTitle> { sections[position] }

  /// The section with a title, or `nil` if there is none.
  ///
  /// - Complexity: O(1).
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Model, SectionTitle>? {
    index(ofSectionTitled: title).map { sections[$0] }
  }

  /// The titles of the sections, in their order.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }

  /// Returns whether there is a section with a title.
  ///
  /// - Complexity: O(1).
  public func contains(sectionTitle title: SectionTitle) -> Bool { positions[title] != nil }

  /// Returns the position of the section with a title, or `nil` if there is none.
  ///
  /// - Complexity: O(1).
  public func index(ofSectionTitled title: SectionTitle) -> Int? { positions[title] }
}

extension SectionedResults: Equatable where Model: Equatable {}

/// Objects that share a title.
public struct ResultsSection<Element, SectionTitle: Hashable>: RandomAccessCollection, Identifiable
{
  /// The value that the objects share.
  public let title: SectionTitle
  private let elements: [Element]

  init(title: SectionTitle, elements: [Element]) {
    self.title = title
    self.elements = elements
  }

  /// The title, which is unique among the sections.
  public var id: SectionTitle { title }

  /// The position of the first object.
  public var startIndex: Int { elements.startIndex }

  /// The position after the last object.
  public var endIndex: Int { elements.endIndex }

  /// The object at a position.
  public subscript(position: Int) -> Element { elements[position] }
}

extension ResultsSection: Equatable where Element: Equatable {}
