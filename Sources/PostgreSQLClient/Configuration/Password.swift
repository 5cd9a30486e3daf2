import Foundation

/// A password, or a function that returns the current one.
///
/// Neither descriptions nor mirrors show it.
package struct Password: Sendable {
  private let value: @Sendable () throws -> String
  /// A value that differs between passwords: the password itself, or the identifier of the
  /// function.
  enum Identity: Hashable {
    case text(String)
    case function(UUID)
  }

  let identity: Identity

  /// Creates a constant password.
  package init(_ value: String) {
    self.value = { value }
    identity = .text(value)
  }

  /// Creates a password from a function, which is called for each new connection.
  package init(_ value: @escaping @Sendable () throws -> String) {
    self.value = value
    identity = .function(UUID())
  }

  /// Returns the current password.
  func current() throws -> String { try value() }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "•••" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
