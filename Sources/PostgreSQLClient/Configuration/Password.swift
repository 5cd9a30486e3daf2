import Foundation

/// A password, or a function that returns the current one.
///
/// Neither descriptions nor mirrors show it.
package struct Password: Sendable {
  private let value: @Sendable () throws -> String
  /// Equal for equal passwords, and for copies of one made of a function.
  let identity: any Hashable & Sendable

  /// Creates a password that stays the same.
  package init(_ value: String) {
    self.value = { value }
    identity = value
  }

  /// Creates a password from a function, which is called for each new connection.
  package init(_ value: @escaping @Sendable () throws -> String) {
    self.value = value
    identity = UUID()
  }

  /// Returns the current password.
  func current() throws -> String { try value() }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "•••" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
