import CommandLineSupport
import OpenSwiftData

/// The positions of the boxes and edges in a schema's diagram.
///
/// Without cycles, an entity is to the right of its superentity and of entities that contain it in
/// a to-many relationship. Edges turn only between columns, and cross a column between its boxes
/// (`SchemaLayout+Routes`).
struct SchemaLayout {
  struct Box {
    let entity: StoreEntity
    let properties: [StoreProperty]
    let width: Int
    let height: Int
    var x = 0
    var y = 0
  }

  struct Line {
    let edge: SchemaGraph.Edge
    let start: Point
    let end: Point
    /// The path from the start to the end, as SVG.
    let path: String
  }

  /// A column of boxes.
  struct Column {
    /// The indices of its boxes, from the top.
    let boxes: [Int]
    let left: Int
    let right: Int
  }

  /// The point where an edge meets a box.
  struct Point {
    let x: Int
    let y: Int
    let isOnTheRight: Bool
  }

  static let rowHeight = 20
  static let headHeight = 30
  private static let gap = (x: 110, y: 36)
  private static let margin = 24

  private(set) var boxes: [Box]
  private(set) var columns: [Column] = []
  private(set) var lines: [Line] = []
  private(set) var width = 0
  private(set) var height = 0

  init(_ graph: SchemaGraph) {
    var degrees = Array(repeating: 0, count: graph.schema.entities.count)
    for edge in graph.edges {
      degrees[edge.from] += 1
      degrees[edge.to] += 1
    }
    boxes = zip(graph.schema.entities, degrees).map { entity, degree in
      let properties = graph.schema.ownProperties(of: entity)
      let letters = properties.map { property in
        property.name.displayWidth + SchemaText.word(property).displayWidth + 4
      }
      let longest = max(letters.max() ?? 0, entity.name.displayWidth + 2)
      return Box(
        entity: entity,
        properties: properties,
        width: min(max(longest * 8 + 12, 150), 420),
        // High enough that the numbers at the ends of edges are below each other.
        height: max(
          Self.headHeight + Self.rowHeight * properties.count + 8,
          Self.rowHeight * (degree + 1)
        )
      )
    }
    place(Self.columns(graph))
    lines = routed(graph.edges)
  }

  /// The entities of each column, from left to right.
  private static func columns(_ graph: SchemaGraph) -> [[Int]] {
    let count = graph.schema.entities.count
    var next: [[Int]] = Array(repeating: [], count: count)
    for edge in graph.edges where edge.from != edge.to {
      if edge.kind == .inherits {
        next[edge.to].append(edge.from)
      } else {
        next[edge.from].append(edge.to)
      }
    }
    let ranks = ranks(next)
    var columns: [[Int]] = Array(repeating: [], count: (ranks.max() ?? -1) + 1)
    for (number, rank) in ranks.enumerated() { columns[rank].append(number) }
    // Each column is ordered by the entities that refer to its own.
    for rank in columns.indices.dropFirst() {
      let left = columns[rank - 1]
      let wish = columns[rank].map { number in
        let positions = left.indices.filter { next[left[$0]].contains(number) }
        return positions.isEmpty ? left.count * 10 : positions.reduce(0, +) * 10 / positions.count
      }
      columns[rank] = zip(columns[rank], wish).sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
    }
    return columns
  }

  /// Returns the length of the longest path to each entity, without paths that lead back.
  private static func ranks(_ next: [[Int]]) -> [Int] {
    enum Visit { case none, open, done }
    var visits = Array(repeating: Visit.none, count: next.count)
    var order: [Int] = []
    var kept: [[Int]] = Array(repeating: [], count: next.count)
    // The entities on the path, each with those that remain to be visited: a schema may have longer
    // paths than a stack can hold.
    var way: [(number: Int, rest: ArraySlice<Int>)] = []
    func enter(_ number: Int) {
      visits[number] = .open
      way.append((number, next[number][...]))
    }
    for start in next.indices where visits[start] == .none {
      enter(start)
      while let number = way.last?.number {
        guard let other = way[way.count - 1].rest.popFirst() else {
          visits[number] = .done
          order.append(number)
          way.removeLast()
          continue
        }
        if visits[other] == .open { continue }
        kept[number].append(other)
        if visits[other] == .none { enter(other) }
      }
    }
    var ranks = Array(repeating: 0, count: next.count)
    for number in order.reversed() {
      for other in kept[number] { ranks[other] = max(ranks[other], ranks[number] + 1) }
    }
    return ranks
  }

  private mutating func place(_ columns: [[Int]]) {
    let heights = columns.map { column in
      column.reduce(-Self.gap.y) { $0 + boxes[$1].height + Self.gap.y }
    }
    height = (heights.max() ?? 0) + 2 * Self.margin
    var x = Self.margin
    for (column, columnHeight) in zip(columns, heights) {
      var y = (height - columnHeight) / 2
      let widest = column.map { boxes[$0].width }.max() ?? 0
      for number in column {
        boxes[number].x = x + (widest - boxes[number].width) / 2
        boxes[number].y = y
        y += boxes[number].height + Self.gap.y
      }
      self.columns.append(Column(boxes: column, left: x, right: x + widest))
      x += widest + Self.gap.x
    }
    width = max(x - Self.gap.x, 0) + Self.margin
    // An edge between two boxes of the last column needs space beside it.
    if !columns.isEmpty { width += 60 }
  }
}
