import CommandLineSupport
import Foundation
import OpenSwiftData

/// `storectl repair`: fixes problems that have only one possible fix.
enum RepairCommand {
  private static let backup = Option(
    "backup",
    value: "FILE",
    "The file of the backup; by default beside the store, with the suffix .before-repair."
  )
  private static let rehearsal = Option.flag("dry-run", "Only show what would be repaired.")

  static let command = Command(
    "repair",
    "Backs up a store, then removes references to missing objects.",
    discussion: """
      A reference to a missing object becomes nil or is removed from its list. A
      reference to an object becomes nil if that object and another refer to each
      other. Nothing else is changed; other problems are only reported. All changes
      are one save. Exits with status 1 if problems remain.
      """,
    options: [backup, rehearsal, InfoCommand.format],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let isRehearsal = invocation.isSet(rehearsal)
    let url = try invocation.required(OpenedStore.argument)
    let opened = try OpenedStore(url, forWriting: !isRehearsal)
    let check = try StoreCheck(opened)
    var copy: String?
    if !check.repairs.isEmpty, !isRehearsal {
      let file = try invocation.text(backup) ?? StoreURL(url).path + ".before-repair"
      try opened.maintainable().backup(to: URL(filePath: file))
      try apply(check.repairs, to: opened)
      copy = file
    }
    let rest = try isRehearsal ? check : StoreCheck(opened)
    let outcome = Outcome(
      repairs: check.repairs.map(\.description),
      backup: copy,
      problems: rest.problems.map(\.description)
    )
    try InfoCommand.report(outcome, invocation, to: console) {
      for repair in check.repairs { console.print(repair.description.visible) }
      if check.repairs.isEmpty { console.print("Nothing needs repair.") }
      if let copy { console.print("Repaired; the backup is \(copy.visible).") }
      if !rest.problems.isEmpty, !isRehearsal { console.print("These problems need a decision:") }
      for problem in rest.problems { console.print(problem.description.visible) }
    }
    guard rest.problems.isEmpty else { throw VerifyCommand.failure(rest.problems.count) }
  }

  /// The output of `--format json`.
  private struct Outcome: Encodable {
    /// The changes made, or those that a dry run would make.
    let repairs: [String]
    /// The path of the copy of the unrepaired store, if it was changed.
    let backup: String?
    /// The problems that remain.
    let problems: [String]
  }

  private static func apply(_ repairs: [StoreCheck.Repair], to opened: OpenedStore) throws {
    let byRow = Dictionary(grouping: repairs, by: \.identifier)
    let updates = byRow.sorted { $0.key < $1.key }.map { identifier, repairs in
      StoreUpdate(
        identifier: identifier,
        changes: repairs.sorted { $0.index < $1.index }.map { .init($0.index, $0.value) }
      )
    }
    let state = EditingState(author: "storectl repair")
    _ = try opened.store.apply(
      StoreChanges(updated: updates, editingState: state, origin: .maintenance)
    )
  }
}
