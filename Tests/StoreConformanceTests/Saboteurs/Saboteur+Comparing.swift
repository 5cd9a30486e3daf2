import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// A careless look at values: what it does, the rule of filters for the type, and how.
  private typealias Look = (
    name: String, rule: String, constants: Bool, change: @Sendable (StoreValue) -> StoreValue
  )

  private static func look(
    _ name: String,
    _ rule: String,
    constants: Bool = true,
    _ change: @escaping @Sendable (StoreValue) -> StoreValue
  ) -> Look {
    (name, rule, constants, change)
  }

  /// Those that filter, and those that sort, by values that they do not see as they are.
  static let comparing: [Saboteur] =
    looks.map { look in
      Saboteur("filters: \(look.name)", look.rule) {
        .seeing(.filters, constants: look.constants, look.change)
      }
    }
    + looks.filter { !$0.rule.hasSuffix("114") && $0.constants }.map { look in
      Saboteur("sorts: \(look.name)", "RANDOM-301") { .seeing(.orders, look.change) }
    }

  private static let looks = texts + reals + wholes

  private static let texts: [Look] = [
    look("cuts spaces off the end of texts", "QUERY-112") {
      $0.text { String($0.reversed().drop { $0 == " " }.reversed()) }
    },
    look("cuts spaces off the beginning of texts", "QUERY-112") {
      $0.text { String($0.drop { $0 == " " }) }
    },
    look("cuts white space off texts", "QUERY-112") {
      $0.text { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    },
    look("takes texts in lower case", "QUERY-112") { $0.text { $0.lowercased() } },
    look("takes texts in upper case", "QUERY-112") { $0.text { $0.uppercased() } },
    look("takes ligatures for their letters", "QUERY-112") {
      $0.text { $0.precomposedStringWithCompatibilityMapping }
    },
    look("leaves accents out", "QUERY-112") {
      $0.text { $0.folding(options: .diacriticInsensitive, locale: nil) }
    },
    look("looks at 255 characters", "QUERY-112") { $0.text { String($0.prefix(255)) } },
    look("looks at 300 characters", "QUERY-112") { $0.text { String($0.prefix(300)) } },
    look("looks at texts up to a NUL", "QUERY-112") {
      $0.text { String($0.prefix { $0 != "\0" }) }
    },
    look("leaves marks of byte order out", "QUERY-112") {
      $0.text { $0.replacing("\u{FEFF}", with: "") }
    },
    look("takes texts for numbers", "QUERY-112") { $0.text { Double($0).map { "\($0)" } ?? $0 } },
    look("takes texts for their bytes", "QUERY-112") {
      $0.text { $0.utf8.map { String(Int($0) + 256, radix: 16) }.joined() }
    },
    look("orders texts by units of 16 bits", "QUERY-112") {
      $0.text {
        $0.precomposedStringWithCanonicalMapping.utf16.map { String(Int($0) + 65_536, radix: 16) }
          .joined()
      }
    },
    look("takes an empty text for none", "QUERY-112") { $0 == .string("") ? .null : $0 },
    look("looks at ASCII only", "QUERY-112") { $0.text { $0.filter(\.isASCII) } },
    look("takes URLs in lower case", "QUERY-114") {
      $0.text { $0.hasPrefix("mailto") ? "file:///tmp/x" : $0 }
    },
    look("leaves fragments of URLs out", "QUERY-114", constants: false) {
      $0.text { String($0.prefix { $0 != "#" }) }
    },
    look("decodes URLs", "QUERY-114", constants: false) {
      $0.text { $0.removingPercentEncoding ?? $0 }
    },
  ]

  private static let reals: [Look] = [
    look("cuts dates to seconds", "QUERY-113") { $0.seconds { $0.rounded(.down) } },
    look("cuts dates to milliseconds", "QUERY-113") {
      $0.seconds { ($0 * 1_000).rounded(.down) / 1_000 }
    },
    look("rounds dates to microseconds", "QUERY-113") {
      $0.seconds { abs($0) > 1e12 ? $0 : ($0 * 1e6).rounded() / 1e6 }
    },
    look("takes dates as 32 bits", "QUERY-113") { $0.seconds { Double(Float($0)) } },
    look("takes dates through texts of nine places", "QUERY-113") {
      $0.seconds { abs($0) > 1e12 ? $0 : Double(String(format: "%.6f", $0)) ?? $0 }
    },
    look("tells negative zeros among dates apart", "QUERY-113") {
      $0.seconds { $0 == 0 && $0.sign == .minus ? -1e-9 : $0 }
    },
    look("takes reals as 32 bits", "QUERY-110") { $0.real { Double(Float($0)) } },
    look("rounds reals to nine places", "QUERY-110") {
      $0.real { abs($0) > 1e15 ? $0 : ($0 * 1e9).rounded() / 1e9 }
    },
    look("takes reals through fifteen digits", "QUERY-110") {
      $0.real { Double(String(format: "%.15g", $0)) ?? $0 }
    },
    look("tells negative zero from zero", "QUERY-110") {
      $0.real { $0 == 0 && $0.sign == .minus ? -Double.leastNonzeroMagnitude : $0 }
    },
    look("takes NaN for zero", "QUERY-110") { $0.real { $0.isNaN ? 0 : $0 } },
    look("takes NaN for nil", "QUERY-110", constants: false) {
      if case .double(let number) = $0, number.isNaN { .null } else { $0 }
    },
    look("takes infinity for the largest number", "QUERY-110") {
      $0.real { $0.isInfinite ? .greatestFiniteMagnitude * ($0 < 0 ? -1 : 1) : $0 }
    },
    look("takes tiny reals for zero", "QUERY-110") {
      $0.real { abs($0) < .leastNormalMagnitude ? 0 : $0 }
    },
    look("takes floats by their decimal digits", "QUERY-109", constants: false) {
      $0.real { Double("\(Float($0))") ?? $0 }
    },
    look("takes floats as 16 bits", "QUERY-109") {
      $0.real { $0.isFinite && abs($0) < 1e6 ? ($0 * 64).rounded() / 64 : $0 }
    },
    look("takes decimals through floating point", "QUERY-111") {
      $0.decimal { Decimal(Double("\($0)") ?? 0) }
    },
    look("rounds decimals to cents", "QUERY-111") {
      $0.decimal { number in
        var (number, rounded) = (number, Decimal())
        NSDecimalRound(&rounded, &number, 2, .plain)
        return rounded
      }
    },
    look("orders decimals as texts", "QUERY-111") {
      if case .decimal(let number) = $0 { .string("\(number)") } else { $0 }
    },
  ]

  private static let wholes: [Look] =
    [
      look("takes integers through floating point", "QUERY-104") {
        $0.whole { Int64(exactly: Double($0)) ?? $0 }
      },
      look("takes integers up to 2^53", "QUERY-104") { $0.whole { min($0, 1 << 53) } },
      look("takes integers as 32 bits", "QUERY-104") {
        $0.whole { Int64(Int32(truncatingIfNeeded: $0)) }
      },
      look("orders integers as texts", "QUERY-104") {
        if case .integer(let number) = $0 { .string("\(number)") } else { $0 }
      },
      look("takes large integers for signed ones", "QUERY-108") {
        if case .unsigned(let number) = $0 { .integer(Int64(bitPattern: number)) } else { $0 }
      },
      look("takes large integers through floating point", "QUERY-108") {
        if case .unsigned(let number) = $0 { .double(Double(number)) } else { $0 }
      },
      look("takes large integers for the largest signed one", "QUERY-108") {
        if case .unsigned = $0 { .integer(.max) } else { $0 }
      },
    ]
    + ([("8", "QUERY-101", 0xFF), ("16", "QUERY-102", 0xFFFF), ("32", "QUERY-103", 0xFFFF_FFFF)]
    as [(String, String, Int64)]).map { bits, rule, mask in
      look("takes integers of \(bits) bits without their sign", rule) { $0.whole { $0 & mask } }
    }
    + [
      look("takes bytes for signed ones", "QUERY-105") {
        $0.whole { Int64(Int8(truncatingIfNeeded: $0)) }
      },
      look("takes 16 bits for signed ones", "QUERY-106") {
        $0.whole { Int64(Int16(truncatingIfNeeded: $0)) }
      },
      look("takes 32 bits for signed ones", "QUERY-107") {
        $0.whole { Int64(Int32(truncatingIfNeeded: $0)) }
      },
    ]

  private static func unites(
    _ name: String,
    _ rule: String,
    _ change: @escaping @Sendable (StoreValue) -> StoreValue
  ) -> Saboteur {
    Saboteur(name, rule) { .uniting(change) }
  }

  /// Those that find unique values equal that differ.
  static let uniting: [Saboteur] = [
    unites("cuts spaces off unique texts", "UNIQUE-112") {
      $0.text { $0.trimmingCharacters(in: .whitespaces) }
    },
    unites("takes unique texts in lower case", "UNIQUE-112") { $0.text { $0.lowercased() } },
    unites("takes ligatures in unique texts for letters", "UNIQUE-112") {
      $0.text { $0.precomposedStringWithCompatibilityMapping }
    },
    unites("looks at 255 characters of unique texts", "UNIQUE-112") {
      $0.text { String($0.prefix(255)) }
    },
    unites("looks at unique texts up to a NUL", "UNIQUE-112") {
      $0.text { String($0.prefix { $0 != "\0" }) }
    },
    unites("takes unique reals as 32 bits", "UNIQUE-110") { $0.real { Double(Float($0)) } },
    unites("finds one NaN equal to another", "UNIQUE-110") { $0 },
    unites("takes unique floats for whole numbers", "UNIQUE-109") {
      $0.real { $0.isFinite ? $0.rounded() : $0 }
    },
    unites("takes unique dates to the millisecond", "UNIQUE-113") {
      $0.seconds { ($0 * 1_000).rounded(.down) / 1_000 }
    },
    unites("takes unique decimals through floating point", "UNIQUE-111") {
      $0.decimal { Decimal(Double("\($0)") ?? 0) }
    },
    unites("takes unique integers through floating point", "UNIQUE-104") {
      $0.whole { Int64(exactly: Double($0)) ?? 0 }
    },
    unites("takes large unique integers through floating point", "UNIQUE-108") {
      if case .unsigned(let number) = $0 { .double(Double(number)) } else { $0 }
    },
    unites("looks at the first byte of unique data", "UNIQUE-114") {
      if case .data(let data) = $0 { .data(data.prefix(1)) } else { $0 }
    },
    unites("finds all unique UUIDs equal", "UNIQUE-115") {
      if case .uuid = $0 { .null } else { $0 }
    },
    unites("looks at the schemes of unique URLs", "UNIQUE-116") {
      $0.text { _ in "" }
    },
  ]
}
