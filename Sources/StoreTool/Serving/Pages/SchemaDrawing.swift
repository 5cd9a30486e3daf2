import CommandLineSupport
import OpenSwiftData

/// The diagram of a schema as SVG.
struct SchemaDrawing {
  private let layout: SchemaLayout

  init(_ graph: SchemaGraph) {
    layout = SchemaLayout(graph)
  }

  func append(to html: inout HTML) {
    let size = "0 0 \(layout.width) \(layout.height)"
    let attributes: [HTML.Attribute] = [
      ("class", "schema"), ("role", "img"), ("aria-labelledby", "drawing drawing-words"),
      ("viewBox", size), ("width", "\(layout.width)"), ("height", "\(layout.height)"),
    ]
    html.element("svg", attributes) { svg in
      svg.element(
        "title",
        [("id", "drawing")],
        text: "The entities and their relationships"
      )
      svg.element(
        "desc",
        [("id", "drawing-words")],
        text: "The tables below contain the same information."
      )
      svg.markup("<defs><marker id=\"triangle\" viewBox=\"0 0 12 12\" refX=\"11\" refY=\"6\"")
      svg.markup(" markerWidth=\"12\" markerHeight=\"12\" orient=\"auto\">")
      svg.markup("<path class=\"triangle\" d=\"M1 1 L11 6 L1 11 Z\"></path></marker></defs>")
      for line in layout.lines { append(line, to: &svg) }
      for box in layout.boxes { append(box, to: &svg) }
      for line in layout.lines { appendCounts(of: line, to: &svg) }
    }
  }

  private func append(_ line: SchemaLayout.Line, to svg: inout HTML) {
    if line.edge.kind == .inherits {
      let marker: HTML.Attribute = ("marker-end", "url(#triangle)")
      svg.element("path", [("class", "inherits"), ("d", line.path), marker], text: "")
    } else {
      svg.element("path", [("class", "edge"), ("d", line.path)], text: "")
    }
  }

  private func appendCounts(of line: SchemaLayout.Line, to svg: inout HTML) {
    guard case .relates(_, let near, let far) = line.edge.kind else { return }
    for (point, count) in [(line.start, near), (line.end, far)] {
      let attributes: [HTML.Attribute] = [
        ("class", "count"), ("x", "\(point.x + (point.isOnTheRight ? 6 : -6))"),
        ("y", "\(point.y - 5)"), ("text-anchor", point.isOnTheRight ? "start" : "end"),
      ]
      svg.element("text", attributes, text: count)
    }
  }

  private func append(_ box: SchemaLayout.Box, to svg: inout HTML) {
    svg.element(
      "rect",
      [
        ("class", "box"), ("x", "\(box.x)"), ("y", "\(box.y)"), ("rx", "6"),
        ("width", "\(box.width)"), ("height", "\(box.height)"),
      ],
      text: ""
    )
    let head = box.y + SchemaLayout.headHeight
    svg.element("a", [("href", PageLink.entity(box.entity.name))]) { link in
      let position: [HTML.Attribute] = [
        ("class", "head"), ("x", "\(box.x + 12)"), ("y", "\(box.y + 20)"),
      ]
      link.element("text", position, text: box.entity.name.truncated(to: 46))
    }
    let rule = "M\(box.x) \(head) H\(box.x + box.width)"
    svg.element("path", [("class", "rule"), ("d", rule)], text: "")
    for (row, property) in box.properties.enumerated() {
      let y = "\(head + SchemaLayout.rowHeight * row + 17)"
      let name = property.name.truncated(to: 26)
      svg.element("text", [("x", "\(box.x + 12)"), ("y", y)], text: name)
      svg.element(
        "text",
        [
          ("class", "kind"), ("x", "\(box.x + box.width - 12)"), ("y", y), ("text-anchor", "end"),
        ],
        text: SchemaText.word(property).truncated(to: 22)
      )
    }
  }
}
