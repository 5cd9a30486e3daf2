import Foundation
import StoreProtocol

extension HistoryChange: CustomStringConvertible {
  /// The kind of change and the model, such as `updated Trip/3: name, start`.
  public var description: String {
    switch self {
    case .insert(let change): "inserted \(change.changedPersistentIdentifier)"
    case .update(let change): Self.text(of: change)
    case .delete(let change): "deleted \(change.changedPersistentIdentifier)"
    }
  }

  private static func text<Update: HistoryUpdate>(of change: Update) -> String {
    let names = change.updatedAttributes.compactMap { ModelLayout.nameOfProperty(at: $0) }
    let list = names.isEmpty ? "" : ": " + names.joined(separator: ", ")
    return "updated \(change.changedPersistentIdentifier)\(list)"
  }
}

extension DefaultHistoryInsert: CustomStringConvertible {
  /// The description of the ``HistoryChange``.
  public var description: String { HistoryChange.insert(self).description }
}

extension DefaultHistoryUpdate: CustomStringConvertible {
  /// The description of the ``HistoryChange``, with the names of the properties.
  public var description: String { HistoryChange.update(self).description }
}

extension DefaultHistoryDelete: CustomStringConvertible {
  /// The description of the ``HistoryChange``.
  public var description: String { HistoryChange.delete(self).description }
}

extension DefaultHistoryTransaction: CustomStringConvertible {
  /// The number of changes that a description lists.
  private static let mostListed = 10

  /// The number, the time in UTC, the author, and the first changes.
  ///
  /// For example: `7, 2026-11-22T20:40:00Z by Ada: inserted Trip/3; updated Stop/4: place`.
  public var description: String {
    let listed = changes.prefix(Self.mostListed).map(\.description)
    let rest = changes.count - listed.count
    let list = (listed + (rest > 0 ? ["\(rest) more"] : [])).joined(separator: "; ")
    let who = author.map { " by \($0)" } ?? ""
    return "\(transactionIdentifier), \(timestamp.ISO8601Format())\(who): \(list)"
  }
}
