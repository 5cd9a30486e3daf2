import Foundation
import PostgreSQLClient
import StoreProtocol
import Synchronization

/// Detects saves by reading the number of the last one.
final class SaveWatch: StoreWatch {
  private let session: Session
  private let statement: Statement
  private let last: Mutex<Int64>

  init(_ session: Session, _ space: String) throws {
    let statement = Statement("SELECT last_save FROM \(space)._meta", isPrepared: true)
    self.session = session
    self.statement = statement
    last = Mutex(try Self.number(session, statement))
  }

  var file: URL? { nil }

  func newSaves() throws -> ClosedRange<Int64>? {
    let number = try Self.number(session, statement)
    return last.withLock { last in
      guard number > last else { return nil }
      defer { last = number }
      return last + 1...number
    }
  }

  private static func number(_ session: Session, _ statement: Statement) throws -> Int64 {
    try session.read { try $0.run(statement).value(0, 0, as: Int64.self) ?? 0 }
  }
}
