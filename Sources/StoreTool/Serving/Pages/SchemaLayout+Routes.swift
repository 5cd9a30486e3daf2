extension SchemaLayout {
  /// The side of a box at which an edge ends.
  private struct Side: Hashable {
    let box: Int
    let isOnTheRight: Bool
  }

  /// Returns the lines of edges.
  func routed(_ edges: [SchemaGraph.Edge]) -> [Line] {
    var rank = Array(repeating: 0, count: boxes.count)
    for (number, column) in columns.enumerated() {
      for box in column.boxes { rank[box] = number }
    }
    let ranks = edges.map { (rank[$0.from], rank[$0.to]) }
    let ends = ends(of: edges, ranks)
    let crossings = crossings(of: ends, ranks)
    return edges.indices.map { number in
      let (start, end) = ends[number]
      let path = path(ends[number], ranks[number], crossings[number])
      return Line(edge: edges[number], start: start, end: end, path: path)
    }
  }

  /// Returns the points at which edges meet boxes, in the order of what they lead to.
  private func ends(
    of edges: [SchemaGraph.Edge],
    _ ranks: [(Int, Int)]
  ) -> [(start: Point, end: Point)] {
    var meeting: [Side: [(edge: Int, isStart: Bool, y: Int)]] = [:]
    for (number, (edge, rank)) in zip(edges, ranks).enumerated() {
      let start = Side(box: edge.from, isOnTheRight: rank.0 <= rank.1)
      let end = Side(box: edge.to, isOnTheRight: rank.0 >= rank.1)
      meeting[start, default: []].append((number, true, middle(of: edge.to)))
      meeting[end, default: []].append((number, false, middle(of: edge.from)))
    }
    let corner = Point(x: 0, y: 0, isOnTheRight: true)
    var result = Array(repeating: (start: corner, end: corner), count: edges.count)
    for (side, ends) in meeting {
      let box = boxes[side.box]
      let sorted = ends.sorted {
        ($0.y, $0.edge, $0.isStart ? 0 : 1) < ($1.y, $1.edge, $1.isStart ? 0 : 1)
      }
      for (ordinal, end) in sorted.enumerated() {
        let point = Point(
          x: side.isOnTheRight ? box.x + box.width : box.x,
          y: box.y + box.height * (ordinal + 1) / (sorted.count + 1),
          isOnTheRight: side.isOnTheRight
        )
        if end.isStart { result[end.edge].start = point } else { result[end.edge].end = point }
      }
    }
    return result
  }

  /// Returns the heights at which edges cross the columns between their ends, by column.
  private func crossings(
    of ends: [(start: Point, end: Point)],
    _ ranks: [(Int, Int)]
  ) -> [[Int: Int]] {
    var edgesOfColumn: [Int: [(edge: Int, y: Int)]] = [:]
    for (edge, rank) in ranks.enumerated() {
      let y = (ends[edge].start.y + ends[edge].end.y) / 2
      let (first, last) = (min(rank.0, rank.1), max(rank.0, rank.1))
      for column in first..<last where column > first {
        edgesOfColumn[column, default: []].append((edge, y))
      }
    }
    var result: [[Int: Int]] = Array(repeating: [:], count: ends.count)
    for (column, edges) in edgesOfColumn {
      // The free spaces above, between and below the boxes.
      let list = columns[column].boxes.map { boxes[$0] }
      let spaces = zip([0] + list.map { $0.y + $0.height }, list.map(\.y) + [height])
        .map { (top: $0, bottom: $1) }
      let bySpace = Dictionary(grouping: edges) { edge in
        spaces.indices.min { distance(edge.y, spaces[$0]) < distance(edge.y, spaces[$1]) } ?? 0
      }
      for (number, edges) in bySpace {
        let (top, bottom) = spaces[number]
        for (ordinal, edge) in edges.sorted(by: { ($0.y, $0.edge) < ($1.y, $1.edge) }).enumerated()
        {
          result[edge.edge][column] = top + (bottom - top) * (ordinal + 1) / (edges.count + 1)
        }
      }
    }
    return result
  }

  private func distance(_ y: Int, _ space: (top: Int, bottom: Int)) -> Int {
    y < space.top ? space.top - y : max(y - space.bottom, 0)
  }

  /// Returns the path of an edge: straight across columns, and in curves between them.
  private func path(
    _ ends: (start: Point, end: Point),
    _ ranks: (Int, Int),
    _ crossings: [Int: Int]
  ) -> String {
    var path = "M\(ends.start.x) \(ends.start.y)"
    if ranks.0 == ranks.1 {
      let right = columns[ranks.0].right
      let turn = right + 45
      path += " H\(right) C\(turn) \(ends.start.y) \(turn) \(ends.end.y) \(right) \(ends.end.y)"
      return path + " H\(ends.end.x)"
    }
    let step = ranks.0 < ranks.1 ? 1 : -1
    var y = ends.start.y
    for number in stride(from: ranks.0, to: ranks.1, by: step) {
      let (here, next) = (columns[number], columns[number + step])
      let (x, far) = step > 0 ? (here.right, next.left) : (here.left, next.right)
      let other = crossings[number + step] ?? ends.end.y
      let middle = (x + far) / 2
      path += " H\(x) C\(middle) \(y) \(middle) \(other) \(far) \(other)"
      y = other
    }
    return path + " H\(ends.end.x)"
  }

  private func middle(of box: Int) -> Int { boxes[box].y + boxes[box].height / 2 }
}
