import Foundation
import StoreProtocol

/// The string that names a store: a scheme, a path, and options.
///
/// `sqlite:trips.db`, `json:/var/data/trips.json?durability=relaxed`, `memory:`. The path is used
/// unchanged, relative to the working directory, with `%`-escapes decoded.
public struct StoreURL: Hashable, Sendable {
  /// The scheme in lower case, without its colon.
  public let scheme: String
  /// The path, empty where the store has none; of a server its address, without a user and password.
  public let path: String
  /// The options by name.
  public let options: [String: String]
  /// The text that was read, for stores with a form of their own behind the scheme.
  package let text: String

  /// Parses a string.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` if it has no scheme, or if an option appears
  ///   twice or has no value.
  public init(_ text: String) throws {
    guard !text.isEmpty else {
      throw Self.error("the URL of the store is empty; write it as sqlite:trips.db")
    }
    guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
      let scheme = text.hasSuffix(".json") ? "json" : "sqlite"
      let path = text == ":memory:" ? text : String(text.drop { $0 == ":" })
      throw Self.error(
        "\"\(text)\" has no scheme; write it as \(scheme):\(path.isEmpty ? "trips.db" : path)"
      )
    }
    self.text = text
    scheme = text[..<colon].lowercased()
    let rest = text[text.index(after: colon)...]
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let raw = parts.first.map(String.init) ?? ""
    var address = raw.hasPrefix("//") ? String(raw.dropFirst(2)) : raw
    // The part before the last @ of a server's address can contain a password.
    if ["postgres", "postgresql"].contains(scheme) {
      guard parts.count < 2 || !parts[1].contains("@") else {
        throw Self.error(
          parts[1].contains("ddlURL=")
            ? "the URL that ddlURL names is not percent-encoded; write its '@' as %40, '/' as %2F, "
              + "':' as %3A and '?' as %3F"
            : "'@', '/' and '?' are percent-encoded in the user and password of \(scheme):"
        )
      }
      if let at = address.lastIndex(of: "@") {
        address = String(address[address.index(after: at)...])
      }
    }
    path = address.removingPercentEncoding ?? address
    var options: [String: String] = [:]
    for item in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, options[String(pair[0])] == nil else {
        // The text of a URL with an address can have a password.
        let option =
          text.contains("@") ? "an option of \(scheme):" : "the option \"\(item)\" of \"\(text)\""
        throw Self.error(
          "\(option) is not name=value, or is given twice; write a ? of the path as %3F"
        )
      }
      options[String(pair[0])] = String(pair[1]).removingPercentEncoding ?? String(pair[1])
    }
    self.options = options
  }

  /// Returns a URL string with the same scheme and options, and another path.
  package func text(withPath path: String) -> String {
    // These end and divide options.
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "&="))
    func escaped(_ text: String) -> String {
      text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
    }
    let options = options.sorted { $0.key < $1.key }
      .map { "\(escaped($0.key))=\(escaped($0.value))" }
    return "\(scheme):\(escaped(path))" + (options.isEmpty ? "" : "?")
      + options.joined(separator: "&")
  }

  /// Returns the path as a file URL.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` if there is no path.
  public func fileURL() throws -> URL {
    guard !path.isEmpty else {
      throw Self.error(
        "\(scheme): needs the path of a file behind the colon; the URL of a store in memory is "
          + "memory:"
      )
    }
    return URL(filePath: path)
  }

  /// Returns the value of an option out of a list of words.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` that lists the words, for any other.
  public func option<Word: RawRepresentable & CaseIterable>(
    _ name: String,
    default standard: Word
  ) throws -> Word where Word.RawValue == String {
    guard let text = options[name] else { return standard }
    guard let word = Word(rawValue: text) else {
      let allowed = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw Self.error(
        "the option \(name) of \(scheme): must be one of \(allowed), not \"\(text)\""
      )
    }
    return word
  }

  /// Returns the value of an option that is a number of seconds.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` for a value that is not a number of zero or
  ///   more.
  public func seconds(_ name: String, default standard: Double) throws -> Double {
    guard let text = options[name] else { return standard }
    guard let number = Double(text), number.isFinite, number >= 0 else {
      throw Self.error(
        "the option \(name) of \(scheme): must be a number of seconds, not \"\(text)\""
      )
    }
    return number
  }

  static func error(_ message: String) -> DataStoreError {
    DataStoreError(.invalidConfiguration, message)
  }
}
