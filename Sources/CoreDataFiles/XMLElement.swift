/// An element of an XML document, without the text in it.
package struct XMLElement: Hashable, Sendable {
  package let name: String
  package let attributes: [String: String]
  package internal(set) var children: [XMLElement] = []

  package func children(_ name: String) -> [XMLElement] {
    children.filter { $0.name == name }
  }
}
