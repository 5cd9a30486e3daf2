import StoreProtocol

/// The results of a fetch, loaded one batch at a time as elements are accessed.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let pages: Pages<Element>

  /// - Parameters:
  ///   - identifiers: The fetched identifiers.
  ///   - batchSize: The number of elements to load together.
  ///   - load: Returns one element for each identifier, in their order.
  init(
    identifiers: [PersistentIdentifier],
    batchSize: Int,
    load: @escaping ([PersistentIdentifier]) -> [Element]
  ) {
    pages = Pages(identifiers: identifiers, batchSize: Swift.max(1, batchSize), load: load)
  }

  /// - Parameter elements: The elements, which are fetched and loaded.
  init(_ elements: [Element]) {
    pages = Pages(elements)
  }

  /// The position of the first element.
  public var startIndex: Int { 0 }

  /// The position after the last element.
  public var endIndex: Int { pages.count }

  /// The element at a position, loaded with its batch.
  ///
  /// An object that was removed from the store since the fetch is returned as a stand-in:
  /// `isDeleted` is true, and its values are placeholders.
  ///
  /// - Precondition: The position is one of the collection's.
  public subscript(position: Int) -> Element { pages.element(at: position) }
}

/// The loaded batches of a collection.
private final class Pages<Element> {
  let count: Int
  private let identifiers: [PersistentIdentifier]
  private let batchSize: Int
  private let load: ([PersistentIdentifier]) -> [Element]
  private var loaded: [Int: [Element]] = [:]

  init(
    identifiers: [PersistentIdentifier],
    batchSize: Int,
    load: @escaping ([PersistentIdentifier]) -> [Element]
  ) {
    count = identifiers.count
    self.identifiers = identifiers
    self.batchSize = batchSize
    self.load = load
  }

  init(_ elements: [Element]) {
    count = elements.count
    identifiers = []
    batchSize = Swift.max(1, elements.count)
    load = { _ in [] }
    loaded = [0: elements]
  }

  func element(at position: Int) -> Element {
    precondition(
      0 <= position && position < count,
      "The position is not in the fetched collection."
    )
    let page = position / batchSize
    let elements = loaded[page] ?? loadPage(page)
    return elements[position - page * batchSize]
  }

  private func loadPage(_ page: Int) -> [Element] {
    let start = page * batchSize
    let wanted = identifiers[start..<Swift.min(start + batchSize, identifiers.count)]
    let elements = load(Array(wanted))
    loaded[page] = elements
    return elements
  }
}
