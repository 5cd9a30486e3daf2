import StoreProtocol

/// The reads of an object with made-up values.
package enum ProbedReads: Equatable {
  /// No read that the macro's accessors noted.
  case none
  /// One read, of the property with an index.
  case one(Int)
  /// Reads of several properties, or several of one.
  case several
}

extension _ModelState {
  /// Notes the read of a property of a probed object.
  package mutating func noteProbedRead(of index: Int) {
    version = version == 0 ? Int64(index) + 1 : -1
  }

  /// The noted reads of a probed object.
  package var probedReads: ProbedReads {
    switch version {
    case 0: .none
    case -1: .several
    default: .one(Int(version) - 1)
    }
  }
}
