@main
struct VQ {
  static func main() {}
}
