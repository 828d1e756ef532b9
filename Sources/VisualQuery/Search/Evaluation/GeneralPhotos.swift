/// Right answers to photos of customers in general that are shown: things in hands and on tables, bottles, packages, garments from another side.
///
/// Made by `Benchmarks/quality/general.py`.
enum GeneralPhotos {
  /// Their log-odds by the general calibration, in ascending order, each for as many photos.
  static let logOdds: [Double] = [
    1.74, 1.76, 1.79, 1.81, 1.87, 1.89, 1.91, 1.91, 1.93, 1.98,
    2.02, 2.06, 2.17, 2.17, 2.45, 2.62, 2.88, 3.02, 3.12, 3.20,
    3.22, 3.34, 3.39, 3.54, 3.60, 3.71, 3.77, 4.07, 4.18, 4.23,
    4.38, 4.46, 4.57, 4.63, 4.99, 5.32, 5.55, 5.82, 6.03, 6.45,
    6.75, 6.96, 7.19, 7.73, 8.09, 8.36, 8.92, 9.35, 9.64, 11.22,
  ]
}
