import Foundation

extension ConformanceReport {
  private struct Document: Encodable {
    let suiteVersion: Int
    let store: String
    let seed: UInt64
    let budget: String
    let conforms: Bool
    let begin: String?
    let capabilities: [String: String]
    let tiers: [String: String]
    let rules: [RuleEntry]
  }

  private struct RuleEntry: Encodable {
    let id: String
    let level: String
    let tier: String
    let sentence: String
    let outcome: String
    let reason: String?
    let subject: String?
    let expected: String?
    let found: String?
    let requests: [String]?
    let alone: String?
    let seconds: Double

    init(_ result: RuleResult, alone: String) {
      id = result.rule.id
      level = result.rule.level.rawValue
      tier = result.rule.tier.rawValue
      sentence = result.rule.sentence
      outcome = result.word
      reason = result.reason
      subject = result.violation?.subject
      expected = result.violation?.expected
      found = result.violation?.found
      requests = result.violation?.requests
      self.alone = result.violation == nil ? nil : alone
      seconds = result.seconds
    }
  }

  /// The report as a JSON document.
  ///
  /// - Throws: The encoder's error.
  public func json() throws -> String {
    let badges = zip(Tier.allCases, badges).map { tier, badge in
      (tier.rawValue, String(badge.dropFirst(tier.title.count + 2)))
    }
    let document = Document(
      suiteVersion: ConformanceRun.suiteVersion,
      store: storeName,
      seed: settings.seed,
      budget: settings.budget.rawValue,
      conforms: isConforming,
      begin: start?.details,
      capabilities: Dictionary(uniqueKeysWithValues: declarations.map { ($0.name, $0.word) }),
      tiers: Dictionary(uniqueKeysWithValues: badges),
      rules: results.map { RuleEntry($0, alone: reproduction(of: $0.rule)) }
    )
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
  }

  /// The report as JUnit XML, one test case for each rule, one suite for each tier.
  public var junit: String {
    var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#]
    lines.append("<testsuites name=\"\(storeName.inXML)\">")
    if let start {
      lines.append("  <testsuite name=\"Begin here\" tests=\"1\" failures=\"1\" skipped=\"0\">")
      lines.append(
        "    <testcase classname=\"\(storeName.inXML)\" name=\"Begin here\" time=\"0\">"
          + "<failure message=\"failed\">\(start.details.inXML)</failure></testcase>"
      )
      lines.append("  </testsuite>")
    }
    for tier in Tier.allCases {
      let results = results.filter { $0.rule.tier == tier }
      let failures = results.count(where: \.isFailure)
      let skipped = results.count { !$0.wasTried }
      lines.append(
        "  <testsuite name=\"\(tier.title)\" tests=\"\(results.count)\" failures=\"\(failures)\" "
          + "skipped=\"\(skipped)\">"
      )
      lines += results.map(testCase)
      lines.append("  </testsuite>")
    }
    return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
  }

  private func testCase(_ result: RuleResult) -> String {
    let head =
      "    <testcase classname=\"\(storeName.inXML)\" "
      + "name=\"\(result.rule.description.inXML)\" time=\"\(result.seconds)\""
    if result.isFailure {
      let details = result.violation?.details ?? "  passed though known to fail"
      let text = details + "\n  alone:    " + reproduction(of: result.rule)
      return head + "><failure message=\"\(result.word)\">\(text.inXML)</failure></testcase>"
    }
    guard let reason = result.reason else { return head + "/>" }
    return head + "><skipped message=\"\(reason.inXML)\"/></testcase>"
  }
}

extension RuleResult {
  /// The duration of the rule in seconds, to the millisecond.
  var seconds: Double {
    let parts = duration.components
    return Double(parts.seconds) + (Double(parts.attoseconds) / 1e15).rounded() / 1_000
  }
}

extension String {
  /// The text with characters replaced that XML does not allow.
  fileprivate var inXML: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\n", "\t": text.unicodeScalars.append(scalar)
      case "\0"..." ", "\u{FFFE}", "\u{FFFF}":
        text += scalar == " " ? " " : "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
