/// A password, which neither descriptions nor mirrors show.
package struct Password: Hashable, Sendable {
  let value: String

  package init(_ value: String) { self.value = value }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "•••" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
