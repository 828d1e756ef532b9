import CPeers
import Foundation
import PixelMatch

/// The decoding and signature of one image, each part in turn with libjpeg's own 1/8 decode, or with libpng's decode of a PNG.
struct SignatureBench {
  let bytes: [UInt8]

  init(path: String) throws {
    bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func run(rounds: Int) throws {
    let decoder = ImageDecoder()
    let isPNG = bytes.starts(with: [0x89, 0x50])
    let (peerName, ratioName) =
      isPNG ? ("libpng", "ratioToLibpng") : ("libjpegEighth", "ratioToLibjpegEighth")
    var eighth: [Double] = []
    var decode: [Double] = []
    var pdq: [Double] = []
    var corners: [Double] = []
    var signature: [Double] = []
    var query: [Double] = []
    var whole: [Double] = []
    var sink = 0
    for round in -2..<rounds {
      let peer = milliseconds {
        sink &+= isPNG ? peer_png(bytes, bytes.count) : peer_jpeg_eighth(bytes, bytes.count)
      }
      var picture: PixelBuffer?
      let decoded = try milliseconds {
        picture = try decoder.decode(bytes, longerSide: Signature.workingSide)
      }
      let hashed = milliseconds {
        sink &+= PDQHasher.coefficients(of: picture!).quality
      }
      let cornered = milliseconds { sink &+= KeypointSet(picture!).count }
      let asked = milliseconds { sink &+= QuerySignature(picture!).keypoints.count }
      let signed = milliseconds { sink &+= Int(Signature(picture!).pdqQuality) }
      let all = try milliseconds {
        let picture = try decoder.decode(bytes, longerSide: Signature.workingSide)
        sink &+= Int(Signature(picture).pdqQuality)
      }
      // The first rounds warm caches and page tables.
      guard round >= 0 else { continue }
      eighth.append(peer)
      decode.append(decoded)
      pdq.append(hashed)
      corners.append(cornered)
      query.append(asked)
      signature.append(signed)
      whole.append(all)
    }
    precondition(sink != 0)
    let ratios = zip(whole, eighth).map { $0 / $1 }
    print(
      """
      {"\(peerName)":\(median(eighth)),"decode":\(median(decode)),"pdq":\(median(pdq)),\
      "corners":\(median(corners)),"querySignature":\(median(query)),\
      "signature":\(median(signature)),"decodeAndSignature":\(median(whole)),\
      "\(ratioName)":\(median(ratios))}
      """)
  }
}

/// The distance of the hash of the working image from that of the full-size pixels.
enum BitsBench {
  static func run(_ paths: some Sequence<String>) throws {
    var distances: [Int] = []
    for path in paths {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let decoder = ImageDecoder()
      let full = try decoder.pdqCoefficients(of: bytes).hash
      let working = PDQHasher.coefficients(
        of: try decoder.decode(bytes, longerSide: Signature.workingSide))
      distances.append(working.hash.hammingDistance(to: full))
    }
    distances.sort()
    let mean = Double(distances.reduce(0, +)) / Double(distances.count)
    print(
      "pictures \(distances.count), bits: mean \(mean), median \(distances[distances.count / 2]),",
      "p99 \(distances[distances.count * 99 / 100]), most \(distances.last!)")
  }
}
