import CommandLineSupport
import OpenSwiftData

/// A schema as text, and as diagrams for other programs.
enum SchemaText {
  /// Returns readable lines.
  static func lines(_ schema: StoreSchema) -> [String] {
    var lines = ["version \(schema.version)", "fingerprint \(schema.fingerprint)"]
    for entity in schema.entities {
      lines.append("\(entity.name)\(entity.superentity.map { ": \($0)" } ?? "")")
      lines += entity.properties.map { "  \($0.name): \(word($0))" }
      lines += entity.uniquenessConstraints.map { "  unique \($0.joined(separator: ", "))" }
      lines += entity.indices.map { "  index \($0.joined(separator: ", "))" }
    }
    return lines
  }

  /// Returns the type of a property: `string`, `date?`, `Trip?`, `[BucketListItem]`.
  static func word(_ property: StoreProperty) -> String {
    let mark = property.isOptional && !property.isToMany ? "?" : ""
    switch property.kind {
    case .attribute(let type): return "\(type.rawValue)\(mark)"
    case .toOne(let relationship): return "\(relationship.destination)\(mark)"
    case .toMany(let relationship): return "[\(relationship.destination)]"
    }
  }

  /// Returns a class diagram for Mermaid.
  static func mermaid(_ schema: StoreSchema) -> String {
    let graph = SchemaGraph(schema)
    var lines = ["classDiagram"]
    for (number, entity) in schema.entities.enumerated() {
      lines.append("  class \(node(number))[\"\(mermaidText(entity.name))\"] {")
      for property in graph.schema.ownProperties(of: entity) where property.attributeType != nil {
        lines.append("    \(mermaidText("\(word(property)) \(property.name)"))")
      }
      lines.append("  }")
    }
    for edge in graph.edges {
      let (from, to) = (node(edge.from), node(edge.to))
      switch edge.kind {
      case .inherits: lines.append("  \(to) <|-- \(from)")
      case .relates(let names, let near, let far):
        let label = mermaidText(names.joined(separator: " / "))
        lines.append("  \(from) \"\(near)\" --> \"\(far)\" \(to) : \(label)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a graph for Graphviz' `dot`.
  static func graphviz(_ schema: StoreSchema) -> String {
    let graph = SchemaGraph(schema)
    var lines = [
      "digraph schema {", "  rankdir=LR;", "  node [shape=plain, fontname=\"Helvetica\"];",
      "  edge [fontname=\"Helvetica\", fontsize=10];",
    ]
    for (number, entity) in schema.entities.enumerated() {
      let rows = graph.schema.ownProperties(of: entity).filter { $0.attributeType != nil }.map {
        "<tr><td align=\"left\">\(HTML.escaped($0.name))</td>"
          + "<td align=\"left\">\(HTML.escaped(word($0)))</td></tr>"
      }
      lines.append(
        "  \(node(number)) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">"
          + "<tr><td colspan=\"2\"><b>\(HTML.escaped(entity.name))</b></td></tr>\(rows.joined())"
          + "</table>>];"
      )
    }
    for edge in graph.edges {
      let (from, to) = (node(edge.from), node(edge.to))
      switch edge.kind {
      case .inherits: lines.append("  \(from) -> \(to) [arrowhead=empty];")
      case .relates(let names, let near, let far):
        let label = names.joined(separator: " / ").visible
          .replacingScalars { $0 == "\\" || $0 == "\"" ? "\\\($0)" : nil }
        lines.append(
          "  \(from) -> \(to) [label=\"\(label)\", taillabel=\"\(near)\","
            + " headlabel=\"\(far)\"];"
        )
      }
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private static func node(_ number: Int) -> String { "E\(number)" }

  /// Returns a string without characters that end a line or begin another part of a Mermaid
  /// diagram.
  private static func mermaidText(_ text: String) -> String {
    text.visible.replacingScalars { "\"{}<>;#%`:~".unicodeScalars.contains($0) ? "_" : nil }
  }
}
