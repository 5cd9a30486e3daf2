/// One value during encoding: containers may be filled in any order.
final class EncodingNode {
  enum Shape { case nothing, value, elements, members }

  private enum Item {
    case value(StoreValue)
    case node(EncodingNode)
  }

  private var shape = Shape.nothing
  private var names: [String] = []
  private var items: [Item] = []
  private var isMisused = false
  private var isTooDeep = false
  /// The number of enclosing containers of the same value.
  private let depth: Int

  init(depth: Int = 0) {
    self.depth = depth
  }

  var count: Int { items.count }

  /// Starts a container; a value that requests containers of two kinds fails at the end.
  func begin(_ wanted: Shape) {
    if shape == .nothing { shape = wanted } else if shape != wanted { isMisused = true }
  }

  func setValue(_ value: StoreValue) {
    if shape != .nothing { isMisused = true }
    shape = .value
    items = [.value(value)]
  }

  func append(_ value: StoreValue) { items.append(.value(value)) }

  func appendNode() -> EncodingNode {
    let node = inner()
    items.append(isTooDeep ? .value(.null) : .node(node))
    return node
  }

  /// Creates a nested container, which is not retained if it would be too deep.
  ///
  /// Even the release of a long chain takes a stack frame for each container.
  private func inner() -> EncodingNode {
    isTooDeep = depth >= StoreValueEncoder.depthLimit
    return EncodingNode(depth: depth + 1)
  }

  func set(_ name: String, to value: StoreValue) { set(name, to: .value(value)) }

  func setNode(_ name: String) -> EncodingNode {
    let node = inner()
    set(name, to: isTooDeep ? .value(.null) : .node(node))
    return node
  }

  // A member that is encoded twice keeps its first position and its last value.
  private func set(_ name: String, to item: Item) {
    if let index = names.firstIndex(of: name) {
      items[index] = item
    } else {
      names.append(name)
      items.append(item)
    }
  }

  /// Returns the stored value, which is empty if nothing was encoded.
  func finished(at path: [any CodingKey]) throws -> StoreValue {
    guard !isTooDeep, path.count + depth <= StoreValueEncoder.depthLimit else {
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: path, debugDescription: "the value nests deeper than 64 levels")
      )
    }
    if isMisused {
      throw EncodingError.invalidValue(
        self,
        .init(
          codingPath: path,
          debugDescription: "the value encodes itself with two kinds of containers at once"
        )
      )
    }
    let values = try items.map { item in
      switch item {
      case .value(let value): value
      case .node(let node): try node.finished(at: path)
      }
    }
    switch shape {
    case .nothing: return .composite([])
    case .value: return values.first ?? .null
    case .elements: return .array(values)
    case .members: return .composite(zip(names, values).map { StoreValue.Member($0, $1) })
    }
  }
}
