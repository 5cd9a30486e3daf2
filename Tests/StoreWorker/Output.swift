import Foundation
import OpenSwiftData

/// Lines that leave the process before the next thing happens: one write each, no buffer.
enum Output {
  static func line(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
  }

  /// What went wrong, in full.
  static func complain(_ error: any Error) {
    try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
  }
}

extension Error {
  /// One word for an error: the code of the store's, the kind of any other.
  var word: String {
    switch self {
    case let error as DataStoreError: error.code
    case let error as SwiftDataError: (error.cause as? DataStoreError)?.code ?? error.code
    default: String(describing: type(of: self))
    }
  }

  /// An error as one line.
  var sentence: String {
    "\(self)".split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
