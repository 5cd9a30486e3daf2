import CommandLineSupport
import OpenSwiftData

/// `flights copy`: brings everything from one store to another and compares both.
enum CopyCommand {
  static let source = Option("from", value: "URL", "The store to read.", isRequired: true)
  static let target = Option("to", value: "URL", "The store to fill.", isRequired: true)
}
