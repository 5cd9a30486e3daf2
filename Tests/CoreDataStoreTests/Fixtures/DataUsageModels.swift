import Foundation
import OpenSwiftData

@Model
final class CheckUpEvent {
  var syndromeID: String?
  var timeStamp: Date?
  @Relationship(inverse: \TshootingData.withCheckUpEvent) var hasTshootingData: [TshootingData]

  init() {
    self.hasTshootingData = []
  }
}

@Model
final class DemoLiveUsage {
  var incarnation: Int32?
  var timeStamp: Date?
  var wifiIN: Int32?
  var wifiOUT: Int32?
  var wwanIN: Int32?
  var wwanOUT: Int32?

  init() {
  }
}

@Model
final class Event {
  var failureImpact: String?
  var failureString: String?
  var rfu1: Double?
  var rfu2: Double?
  var rfu3: Double?
  var rfu4: Double?
  var rfu5: Double?
  var syndromeID: String?
  var timeStamp: Date?
  var happenedOnNet: WiFiData?
  @Relationship(inverse: \Peer.withEvent) var hasPeer: Peer?
  @Relationship(inverse: \EventScene.withEvent) var hasScene: EventScene?
  @Relationship(inverse: \TshootingData.withEvent) var hasTshootingData: [TshootingData]

  init() {
    self.hasTshootingData = []
  }
}

@Model
final class EventScene {
  var course: Double?
  var latitude: Double?
  var linkQuality: Int32?
  var locAccuracy: Double?
  var longitude: Double?
  var rfu1: Double?
  var rfu3: Double?
  var rssi: Int16?
  var speed: Double?
  var withEvent: Event?

  init() {
  }
}

@Model
final class LiveUsage {
  var billCycleEnd: Date?
  var kind: Int32?
  var metadata: Int32?
  var tag: Int32?
  var timeStamp: Date?
  var wifiIN: Double?
  var wifiOUT: Double?
  var wwanIN: Double?
  var wwanOUT: Double?
  var hasProcess: Process?

  init() {
  }
}

@Model
final class Peer {
  var address: Int32?
  var dstPort: Int16?
  var fqdn: String?
  var rfu1: Double?
  var rfu2: Double?
  var rfu3: Double?
  var rfu4: Double?
  var rfu5: Double?
  var timeStamp: Date?
  var withEvent: Event?

  init() {
  }
}

@Model
final class Process {
  var bundleName: String?
  var firstTimeStamp: Date?
  var procName: String?
  var timeStamp: Date?
  @Relationship(deleteRule: .cascade, inverse: \LiveUsage.hasProcess) var hasLiveUsage: [LiveUsage]

  init() {
    self.hasLiveUsage = []
  }
}

@Model
final class TshootingData {
  var providers: [String]?
  var timeStamp: Date?
  var withCheckUpEvent: CheckUpEvent?
  var withEvent: Event?

  init() {
  }
}

@Model
final class WiFiData {
  var bssid: String?
  var dhcpLeaseTime: Double?
  var isAdHoc: Int32?
  var isCaptive: Int32?
  var isLinkLocalAddr: Bool?
  var latitude: Double?
  var linkQuality: Int32?
  var locAccuracy: Double?
  var longitude: Double?
  var rfu1: Float?
  var rfu2: Float?
  var rfu3: Float?
  var rssi: Double?
  var ssid: String?
  var state: Int32?
  var statsInBytesActual: Double?
  var statsInBytesBase: Double?
  var statsOutBytesActual: Double?
  var statsOutBytesBase: Double?
  var statsTCPCntActual: Int32?
  var statsTCPCntBase: Int32?
  var timeAt: Int32?
  var timeStamp: Date?
  @Relationship(inverse: \Event.happenedOnNet) var tookHit: [Event]

  init() {
    self.tookHit = []
  }
}
