import Foundation
import OpenSwiftData
import TravelKit

/// What was paid on a journey: a model of the program, beside those of the library.
@Model
final class Receipt {
  var title: String
  var amount: Decimal
  var journey: Journey?

  init(_ title: String, amount: Decimal, journey: Journey?) {
    self.title = title
    self.amount = amount
    self.journey = journey
  }
}
