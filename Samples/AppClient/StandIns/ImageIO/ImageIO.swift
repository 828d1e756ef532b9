/// <https://developer.apple.com/documentation/imageio/kcgimagedestinationlossycompressionquality>: a `CFString`.
public let kCGImageDestinationLossyCompressionQuality = "kCGImageDestinationLossyCompressionQuality"
