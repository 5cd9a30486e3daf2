import Foundation

/// Properties of a file descriptor that may be a terminal.
package enum Terminal {
  /// The number of columns if it is unknown.
  package static let defaultWidth = 80

  package static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// Returns the number of columns of the terminal at a descriptor.
  ///
  /// - Returns: The terminal's own number, or ``defaultWidth`` if there is none.
  package static func width(of descriptor: Int32) -> Int {
    var size = winsize()
    guard isTerminal(descriptor), ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else {
      return defaultWidth
    }
    return size.ws_col > 0 ? Int(size.ws_col) : defaultWidth
  }
}
