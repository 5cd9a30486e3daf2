import Foundation

/// What the system says about a file descriptor that may be a terminal.
package enum Terminal {
  /// The columns to assume where nobody knows them.
  package static let defaultWidth = 80

  /// Tells whether a person sees what is written to a descriptor.
  package static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// Finds the number of columns of the terminal at a descriptor.
  ///
  /// - Returns: The terminal's own number, else ``defaultWidth``.
  package static func width(of descriptor: Int32) -> Int {
    var size = winsize()
    guard isTerminal(descriptor), ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else {
      return defaultWidth
    }
    return size.ws_col > 0 ? Int(size.ws_col) : defaultWidth
  }
}
