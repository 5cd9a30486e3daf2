import StoreProtocol

/// An ordered list of identifiers in little memory.
///
/// Identifiers with consecutive keys take a few bytes together, however many they are; any other
/// takes a few bytes each. The list is filled first and emptied then.
struct PackedIdentifiers {
  /// Runs of consecutive keys.
  ///
  /// Each is the scope's position from 1 on, the distance from the key behind the last run, and the
  /// number of keys. 0 represents one of `texts`.
  private var bytes: [UInt8] = []
  private var scopes: [PersistentIdentifier.Scope] = []

  /// Identifiers whose keys are not integers, in their order.
  private var texts: [PersistentIdentifier] = []

  /// The run that is being written, or read.
  private var run = Run()

  /// The key behind the run before that.
  private var end: Int64 = 0

  /// The positions of the next run, and of the next of `texts`.
  private var position = 0
  private var textPosition = 0

  private struct Run {
    var scopeNumber = 0
    var first: Int64 = 0
    var length: UInt64 = 0
  }

  mutating func append(_ identifier: PersistentIdentifier) {
    guard let key = identifier.integerKey else {
      endRun()
      bytes.append(0)
      texts.append(identifier)
      return
    }
    let scopeNumber = scopeNumber(of: identifier.scope)
    if run.length > 0, scopeNumber == run.scopeNumber,
      key == run.first &+ Int64(bitPattern: run.length)
    {
      run.length += 1
    } else {
      endRun()
      run = Run(scopeNumber: scopeNumber, first: key, length: 1)
    }
  }

  /// Ends the filling; called before the first identifier is taken.
  mutating func finish() {
    endRun()
    end = 0
  }

  /// Removes and returns the next identifiers, up to a limit; none when all were taken.
  mutating func next(_ limit: Int) -> [PersistentIdentifier] {
    var found: [PersistentIdentifier] = []
    while found.count < limit {
      if run.length > 0 {
        found.append(
          PersistentIdentifier(scope: scopes[run.scopeNumber - 1], key: .integer(run.first))
        )
        run.first &+= 1
        run.length -= 1
        if run.length == 0 { end = run.first }
        continue
      }
      guard position < bytes.count else { break }
      let scopeNumber = Int(number())
      if scopeNumber == 0 {
        found.append(texts[textPosition])
        textPosition += 1
      } else {
        let distance = number()
        let first = end &+ (Int64(bitPattern: distance >> 1) ^ -Int64(bitPattern: distance & 1))
        run = Run(scopeNumber: scopeNumber, first: first, length: number())
      }
    }
    return found
  }

  private mutating func endRun() {
    guard run.length > 0 else { return }
    let distance = run.first &- end
    put(UInt64(run.scopeNumber))
    put(UInt64(bitPattern: (distance << 1) ^ (distance >> 63)))
    put(run.length)
    end = run.first &+ Int64(bitPattern: run.length)
    run.length = 0
  }

  private mutating func scopeNumber(of scope: PersistentIdentifier.Scope) -> Int {
    if run.scopeNumber > 0, scopes[run.scopeNumber - 1] === scope { return run.scopeNumber }
    if let index = scopes.firstIndex(where: { $0 == scope }) { return index + 1 }
    scopes.append(scope)
    return scopes.count
  }

  /// Appends an integer with seven bits per byte, the lowest first; the highest bit says that more
  /// follow.
  private mutating func put(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  private mutating func number() -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    return number
  }
}
