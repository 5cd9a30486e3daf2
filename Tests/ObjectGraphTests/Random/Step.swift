/// One operation on a graph of objects, which are named by numbers.
enum Step: Hashable {
  /// Makes an object outside of any context; a ship gets its port and is inserted at once.
  case make(Int, Kind, port: Int? = nil)
  /// Inserts an object, and all that it leads to.
  case insert(Int)
  /// Sets an attribute to a value that is named by a number.
  case set(Int, Field, Int)
  /// Sets a relationship to one.
  case link(Int, FleetLink, Int?)
  /// Puts an object into a relationship to many, before another one or at the end.
  case add(Int, FleetLink, Int, before: Int? = nil)
  /// Takes an object out of a relationship to many.
  case remove(Int, FleetLink, Int)
  /// Sets a relationship to many.
  case replace(Int, FleetLink, [Int])
  /// Turns the order of a relationship to many round.
  case reverse(Int, FleetLink)
  /// Marks an object for deletion.
  case delete(Int)
  /// Marks all objects for deletion that satisfy a question's predicate.
  case deleteAll(Question)
  /// Saves; what may go wrong must.
  case save
  /// Drops what was not saved.
  case rollback
  /// Fetches all objects.
  case refetch
  /// Asks a question, unsaved changes included.
  case ask(Question)
  /// Reads everything.
  case look
  /// Reads one object.
  case read(Int)
  /// Lets go of all objects that are not needed.
  case evict
  /// Goes to another context of the same container, unless there are unsaved changes.
  case context(Int)
  /// Another context makes a change of stored objects that have no unsaved changes here, and saves.
  indirect case elsewhere(Step)
  /// Closes the store and opens it again, without what was not saved.
  case reopen
}

extension Step {
  /// The step as Swift.
  var source: String {
    switch self {
    case .make(let object, let kind, let port):
      ".make(\(object), .\(kind)\(port.map { ", port: \($0)" } ?? ""))"
    case .insert(let object): ".insert(\(object))"
    case .set(let object, let field, let value): ".set(\(object), .\(field), \(value))"
    case .link(let object, let link, let other):
      ".link(\(object), .\(link), \(other.map(String.init) ?? "nil"))"
    case .add(let object, let link, let other, let next):
      ".add(\(object), .\(link), \(other)\(next.map { ", before: \($0)" } ?? ""))"
    case .remove(let object, let link, let other): ".remove(\(object), .\(link), \(other))"
    case .replace(let object, let link, let others): ".replace(\(object), .\(link), \(others))"
    case .reverse(let object, let link): ".reverse(\(object), .\(link))"
    case .delete(let object): ".delete(\(object))"
    case .deleteAll(let question): ".deleteAll(\(question.source))"
    case .ask(let question): ".ask(\(question.source))"
    case .read(let object): ".read(\(object))"
    case .elsewhere(let step): ".elsewhere(\(step.source))"
    case .context(let number): ".context(\(number))"
    case .save, .rollback, .refetch, .look, .evict, .reopen: ".\(self)"
    }
  }
}
