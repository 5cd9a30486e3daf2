import Foundation

/// A value of many bytes, which say at which step they were made.
struct Blob: Equatable {
  let item: Int
  let step: Int
  let size: Int

  /// Values of more than this many bytes lie in files beside the store.
  static let threshold = 16 << 10

  init(item: Int, step: Int, size: Int) {
    self.item = item
    self.step = step
    self.size = max(size, 8)
  }

  /// Recognises bytes.
  ///
  /// - Throws: ``WorkerError/wrong(_:)`` when they are not what a step made, each of them.
  init(_ data: Data, of item: Int) throws {
    var step: UInt64 = 0
    for byte in data.prefix(8).reversed() { step = step << 8 | UInt64(byte) }
    self.init(item: item, step: Int(truncatingIfNeeded: step), size: data.count)
    guard data == self.data else {
      throw WorkerError.wrong("the value of item \(item) is not what any step made")
    }
  }

  /// The bytes: the step, then what follows from step and item.
  var data: Data {
    var numbers = Numbers(seed: UInt64(truncatingIfNeeded: item << 32 ^ step))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + 8)
    var word = UInt64(truncatingIfNeeded: step)
    while bytes.count < size {
      withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
      word = numbers.next()
    }
    return Data(bytes.prefix(size))
  }
}
