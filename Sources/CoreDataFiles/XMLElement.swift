/// An element of an XML document.
package struct XMLElement: Hashable, Sendable {
  package let name: String
  package let attributes: [String: String]
  /// The text directly within the element, without white space around it.
  package internal(set) var text = ""
  package internal(set) var children: [XMLElement] = []

  package func children(_ name: String) -> [XMLElement] {
    children.filter { $0.name == name }
  }
}
