@Model final class Receipt {
  let id = UUID()
  let number = 1
  @Attribute(.unique) let made: Date = Date.now
  let row: Int
  let index: [Int]

  init(row: Int) {
    self.row = row
    index = [row]
  }
}
