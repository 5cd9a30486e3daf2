/// What the command line says.
struct Options {
  enum Format: String {
    case text, markdown, json
  }

  static let usage = """
    usage: benchmark [--quick] [--rounds N] [--format text|markdown|json] [--folder DIR]
                     [--plot FILE.svg] [--write PAGE.md] [--compiler TEXT] [NAME...]

    Each NAME is a workload or the beginning of some (sqlite-fetch, json), or 'growth', or 'memory'.
    Without one everything runs.

      --quick     a fifth of the rows, five rounds, stores of up to 100,000 rows
      --plot      draws how the costs grow
      --write     writes the tables between the marks of a page, beside the format on the screen
      --compiler  what to call the compiler in the report
    """

  var isQuick = false
  var rounds: Int?
  var format = Format.text
  var folder: String?
  var plot: String?
  var page: String?
  var compiler: String?
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
      case "--plot": plot = try value(of: argument)
      case "--write": page = try value(of: argument)
      case "--compiler": compiler = try value(of: argument)
      case let name where name.hasPrefix("-"):
        throw BenchmarkError("unknown option '\(name)'\n\(Self.usage)")
      default: names.append(argument)
      }
    }
    if plot != nil, !runs(chapter: Self.growth) {
      throw BenchmarkError("'--plot' draws what 'growth' measures, which is not among the names")
    }
  }

  static let growth = "growth"
  static let memory = "memory"

  /// Whether a part of the benchmark runs that is no list of workloads.
  func runs(chapter: String) -> Bool { names.isEmpty || names.contains(chapter) }

  /// The names of workloads, nil where none are asked for.
  var workloads: [String]? {
    let workloads = names.filter { ![Self.growth, Self.memory].contains($0) }
    return workloads.isEmpty && !names.isEmpty ? nil : workloads
  }
}
