import StoreProtocol

/// The results of a fetch, loaded a batch at a time as elements are touched.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let pages: Pages<Element>

  init(
    identifiers: [PersistentIdentifier],
    batchSize: Int,
    load: @escaping ([PersistentIdentifier]) throws -> [Element]
  ) {
    pages = Pages(identifiers: identifiers, batchSize: Swift.max(1, batchSize), load: load)
  }

  /// The position of the first element.
  public var startIndex: Int { 0 }

  /// The position after the last element.
  public var endIndex: Int { pages.count }

  /// The element at a position, loaded with its batch.
  ///
  /// - Precondition: The position is one of the collection's, and its object is still stored.
  public subscript(position: Int) -> Element { pages.element(at: position) }
}

/// The loaded batches of a collection.
private final class Pages<Element> {
  private let identifiers: [PersistentIdentifier]
  private let batchSize: Int
  private let load: ([PersistentIdentifier]) throws -> [Element]
  private var loaded: [Int: [Element]] = [:]

  init(
    identifiers: [PersistentIdentifier],
    batchSize: Int,
    load: @escaping ([PersistentIdentifier]) throws -> [Element]
  ) {
    self.identifiers = identifiers
    self.batchSize = batchSize
    self.load = load
  }

  var count: Int { identifiers.count }

  func element(at position: Int) -> Element {
    precondition(
      identifiers.indices.contains(position),
      "The position is not one of the fetched collection's."
    )
    let page = position / batchSize
    let elements = loaded[page] ?? loadPage(page)
    let offset = position - page * batchSize
    precondition(
      elements.indices.contains(offset),
      "An object of the fetched collection was removed from the store before it was read."
    )
    return elements[offset]
  }

  private func loadPage(_ page: Int) -> [Element] {
    let start = page * batchSize
    let wanted = identifiers[start..<Swift.min(start + batchSize, identifiers.count)]
    let elements = (try? load(Array(wanted))) ?? []
    loaded[page] = elements
    return elements
  }
}
