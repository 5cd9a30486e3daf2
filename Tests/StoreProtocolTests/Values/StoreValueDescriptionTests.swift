import Foundation
import StoreProtocol
import Testing

@Suite("The description of a value")
struct StoreValueDescriptionTests {
  @Test func `contains its type`() {
    #expect("\(StoreValue.null)" == "null")
    #expect("\(StoreValue.string("a\"b"))" == "string(\"a\\\"b\")")
    let list = StoreValue.array([.integer(1), .double(.nan)])
    #expect("\(list)" == "array([integer(1), double(nan)])")
  }

  @Test func `supports a date of NaN`() {
    let date = StoreValue.date(Date(timeIntervalSinceReferenceDate: .nan))
    #expect("\(date)" == "date(nan)")
    #expect("\(StoreValue.array([date]))" == "array([date(nan)])")
    #expect("\(StoreValue.composite([.init("on", date)]))".contains("date(nan)"))
    #expect("\(StoreUpdate.Change(0, date))".contains("date(nan)"))
  }
}
