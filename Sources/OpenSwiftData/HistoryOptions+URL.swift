import Foundation
import ModelLayer

extension HistoryOptions {
  /// Reads the options `history` (`off`, `on`, `values`) and `keep` of a store's URL.
  ///
  /// `keep` is a list of bounds: `30d` or `12h` for an age, `5000` for a number of saves, `16m` for
  /// a size in mebibytes, or `forever`.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` for other words.
  init(_ url: StoreURL) throws {
    self.init(try url.option("history", default: .on))
    guard let text = url.options["keep"] else { return }
    retention = HistoryRetention()
    if text == "forever" { return }
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard try add(part.last, Int(part), Int(part.dropLast())) else {
        throw DataStoreError(
          .invalidConfiguration,
          "the option keep of \(url.scheme): must be a list such as 30d, 12h, 5000 (saves) or 16m "
            + "(MiB), or forever, not \"\(text)\""
        )
      }
    }
  }

  private mutating func add(_ unit: Character?, _ plain: Int?, _ number: Int?) throws -> Bool {
    if let plain, plain > 0 {
      retention.count = plain
      return true
    }
    guard let number, number > 0, number < 1 << 40 else { return false }
    switch unit {
    case "d": retention.age = Double(number) * 86_400
    case "h": retention.age = Double(number) * 3_600
    case "m": retention.size = number << 20
    default: return false
    }
    return true
  }
}
