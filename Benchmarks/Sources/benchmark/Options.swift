/// What the command line says.
struct Options {
  enum Format: String {
    case text, markdown, json
  }

  static let usage = """
    usage: benchmark [--quick] [--rounds N] [--format text|markdown|json] [--folder DIR] [NAME...]

    Each NAME is a workload or the beginning of some: sqlite-fetch, json. All run without one.
    """

  var isQuick = false
  var rounds: Int?
  var format = Format.text
  var folder: String?
  var names: [String] = []
  var needsHelp = false

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else { throw BenchmarkError("'\(option)' needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "-h", "--help": needsHelp = true
      case "--rounds":
        guard let number = Int(try value(of: argument)), number > 0 else {
          throw BenchmarkError("'--rounds' takes a number from 1")
        }
        rounds = number
      case "--format":
        guard let known = Format(rawValue: try value(of: argument)) else {
          throw BenchmarkError("'--format' takes text, markdown or json")
        }
        format = known
      case "--folder": folder = try value(of: argument)
      case let name where name.hasPrefix("-"):
        throw BenchmarkError("unknown option '\(name)'\n\(Self.usage)")
      default: names.append(argument)
      }
    }
  }
}
