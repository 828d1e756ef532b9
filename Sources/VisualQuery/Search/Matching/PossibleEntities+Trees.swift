// Made by Benchmarks/quality/possible.py, which says how; not to be edited.
extension PossibleEntities {
  /// The log-odds of none of the candidates.
  static let none = 0.55
  /// The log-odds of a candidate before any question.
  static let base = -2.6193
  /// The trees: each adds the value of the leaf to which its questions lead, from the first on.
  static let trees: [[Question]] = [
    [
      Question(.oddsLead, 3.8602, .question(1), .question(2), isMissingLow: true),
      Question(.thirdLead, 2.7261, .leaf(-0.0728), .leaf(0.1669), isMissingLow: true),
      Question(.oddsLead, 4.676, .leaf(0.4814), .leaf(1.0590)),
    ],
    [
      Question(.thirdLead, 3.9994, .question(1), .question(2), isMissingLow: true),
      Question(.thirdLead, 1.1029, .leaf(-0.0752), .leaf(0.0268), isMissingLow: true),
      Question(.votes, 396, .leaf(0.2356), .leaf(0.4312)),
    ],
    [
      Question(.thirdLead, 3.9994, .question(1), .question(2), isMissingLow: true),
      Question(.thirdLead, 0.9298, .leaf(-0.0746), .leaf(0.0191), isMissingLow: true),
      Question(.oddsLead, 0.2753, .leaf(0.1132), .leaf(0.2975)),
    ],
    [
      Question(.thirdLead, 3.4604, .question(1), .question(2), isMissingLow: true),
      Question(.thirdLead, 0.9298, .leaf(-0.0735), .leaf(0.0107), isMissingLow: true),
      Question(.thirdLead, 7.1303, .leaf(0.1532), .leaf(0.2546)),
    ],
    [
      Question(.thirdLead, 3.4604, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -3.0841, .leaf(-0.0730), .leaf(0.0061), isMissingLow: true),
      Question(.thirdLead, 5.9135, .leaf(0.1043), .leaf(0.2085)),
    ],
    [
      Question(.oddsLead, 0.8976, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -3.2427, .leaf(-0.0792), .leaf(-0.0361), isMissingLow: true),
      Question(.thirdLead, 4.4569, .leaf(0.0525), .leaf(0.1781)),
    ],
    [
      Question(.thirdLead, 2.7261, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -1.8464, .leaf(-0.0745), .leaf(-0.0217), isMissingLow: true),
      Question(.thirdLead, 6.4959, .leaf(0.0819), .leaf(0.1665)),
    ],
    [
      Question(.oddsLead, -0.0729, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -3.2427, .leaf(-0.0779), .leaf(-0.0393), isMissingLow: true),
      Question(.thirdLead, 4.4569, .leaf(0.0362), .leaf(0.1443)),
    ],
    [
      Question(.oddsLead, -0.0729, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -3.2427, .leaf(-0.0772), .leaf(-0.0376), isMissingLow: true),
      Question(.votes, 323, .leaf(0.0366), .leaf(0.1344)),
    ],
    [
      Question(.thirdLead, 1.8512, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -3.2427, .leaf(-0.0764), .leaf(-0.0352), isMissingLow: true),
      Question(.thirdLead, 7.1303, .leaf(0.0563), .leaf(0.1349), isMissingLow: true),
    ],
    [
      Question(.oddsLead, -0.0729, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -3.2427, .leaf(-0.0759), .leaf(-0.0344), isMissingLow: true),
      Question(.thirdLead, 6.4959, .leaf(0.0439), .leaf(0.1241), isMissingLow: true),
    ],
    [
      Question(.thirdLead, 1.8512, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -3.8566, .leaf(-0.0766), .leaf(-0.0349), isMissingLow: true),
      Question(.odds, 2.1722, .leaf(0.0511), .leaf(0.1237), isMissingLow: true),
    ],
    [
      Question(.oddsLead, -0.0729, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -4.8188, .leaf(-0.0786), .leaf(-0.0375), isMissingLow: true),
      Question(.thirdLead, 5.9135, .leaf(0.0300), .leaf(0.1090)),
    ],
    [
      Question(.thirdLead, 1.1804, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -5.6449, .leaf(-0.0797), .leaf(-0.0413), isMissingLow: true),
      Question(.odds, 2.1722, .leaf(0.0396), .leaf(0.1135), isMissingLow: true),
    ],
    [
      Question(.oddsLead, 3.0494, .question(1), .leaf(0.0928), isMissingLow: true),
      Question(.oddsLead, -3.2427, .leaf(-0.0731), .question(2), isMissingLow: true),
      Question(.thirdLead, 0.6912, .leaf(-0.0381), .leaf(0.0221), isMissingLow: true),
    ],
    [
      Question(.thirdLead, 4.4569, .question(1), .leaf(0.0876), isMissingLow: true),
      Question(.oddsLead, -3.2427, .leaf(-0.0723), .question(2), isMissingLow: true),
      Question(.thirdLead, 0.3803, .leaf(-0.0388), .leaf(0.0170), isMissingLow: true),
    ],
    [
      Question(.oddsLead, 3.8602, .question(1), .leaf(0.0878), isMissingLow: true),
      Question(.oddsLead, -3.2427, .leaf(-0.0715), .question(2), isMissingLow: true),
      Question(.thirdLead, 0.3803, .leaf(-0.0372), .leaf(0.0155), isMissingLow: true),
    ],
    [
      Question(.oddsLead, 3.8602, .question(1), .leaf(0.0838), isMissingLow: true),
      Question(.oddsLead, -3.2427, .leaf(-0.0707), .question(2), isMissingLow: true),
      Question(.thirdLead, 0.6912, .leaf(-0.0333), .leaf(0.0167), isMissingLow: true),
    ],
    [
      Question(.oddsLead, 3.8602, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -4.8188, .leaf(-0.0758), .leaf(-0.0155), isMissingLow: true),
      Question(.odds, 2.1722, .leaf(0.0372), .leaf(0.0983)),
    ],
    [
      Question(.thirdLead, 0.9298, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0796), .leaf(-0.0336), isMissingLow: true),
      Question(.odds, 2.1722, .leaf(0.0205), .leaf(0.0959), isMissingLow: true),
    ],
    [
      Question(.thirdLead, 0.9298, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0793), .leaf(-0.0320), isMissingLow: true),
      Question(.odds, 2.1722, .leaf(0.0187), .leaf(0.0936), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -0.16388, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -4.258, .leaf(-0.0747), .leaf(-0.0173), isMissingLow: true),
      Question(.thirdLead, 7.1303, .leaf(0.0240), .leaf(0.0898), isMissingLow: true),
    ],
    [
      Question(.odds, -3.1899, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0789), .leaf(-0.0317), isMissingLow: true),
      Question(.odds, 2.1722, .leaf(0.0158), .leaf(0.0897), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -0.16388, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -4.258, .leaf(-0.0736), .leaf(-0.0158), isMissingLow: true),
      Question(.thirdLead, 7.1303, .leaf(0.0221), .leaf(0.0859), isMissingLow: true),
    ],
    [
      Question(.thirdLead, 0.6912, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0784), .leaf(-0.0284), isMissingLow: true),
      Question(.odds, 2.1722, .leaf(0.0148), .leaf(0.0864), isMissingLow: true),
    ],
    [
      Question(.oddsLead, -1.1398, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0781), .leaf(-0.0284), isMissingLow: true),
      Question(.odds, 2.1722, .leaf(0.0131), .leaf(0.0848), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -0.16388, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -4.258, .leaf(-0.0719), .leaf(-0.0141), isMissingLow: true),
      Question(.thirdLead, 7.7708, .leaf(0.0231), .leaf(0.0840), isMissingLow: true),
    ],
    [
      Question(.oddsLead, 4.676, .question(1), .leaf(0.0651), isMissingLow: true),
      Question(.oddsLead, -4.8188, .leaf(-0.0708), .question(2), isMissingLow: true),
      Question(.voteRatio, -0.24094, .leaf(-0.0214), .leaf(0.0197), isMissingLow: true),
    ],
    [
      Question(.thirdLead, 0.6912, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0774), .leaf(-0.0236), isMissingLow: true),
      Question(.odds, 2.1722, .leaf(0.0119), .leaf(0.0809), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -0.16388, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -4.258, .leaf(-0.0698), .leaf(-0.0122), isMissingLow: true),
      Question(.odds, 3.3025, .leaf(0.0209), .leaf(0.0834), isMissingLow: true),
    ],
    [
      Question(.odds, -3.1899, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0768), .leaf(-0.0221), isMissingLow: true),
      Question(.thirdLead, 7.7708, .leaf(0.0102), .leaf(0.0776), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, 0.59784, .question(1), .leaf(0.0737), isMissingLow: true),
      Question(.oddsLead, -4.8188, .leaf(-0.0680), .question(2), isMissingLow: true),
      Question(.color, 0.7992, .leaf(-0.0161), .leaf(0.0283), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -0.16388, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -4.258, .leaf(-0.0675), .leaf(-0.0108), isMissingLow: true),
      Question(.odds, 3.3025, .leaf(0.0186), .leaf(0.0807), isMissingLow: true),
    ],
    [
      Question(.thirdLead, 7.7708, .question(1), .leaf(0.0741), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0759), .question(2)),
      Question(.inlierRatio, 0.35667, .leaf(-0.0119), .leaf(0.0297), isMissingLow: true),
    ],
    [
      Question(.odds, 2.1722, .question(1), .leaf(0.0741), isMissingLow: true),
      Question(.lead, -3.0544, .leaf(-0.0756), .question(2)),
      Question(.inlierRatio, 0.35667, .leaf(-0.0105), .leaf(0.0303), isMissingLow: true),
    ],
    [
      Question(.thirdLead, 0.2968, .leaf(-0.0363), .question(1), isMissingLow: true),
      Question(.color, 0.7992, .question(2), .leaf(0.0708), isMissingLow: true),
      Question(.voteRatio, 0.58069, .leaf(-0.0060), .leaf(0.0586), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, 0.59784, .question(1), .leaf(0.0647), isMissingLow: true),
      Question(.lead, -3.0544, .leaf(-0.0750), .question(2)),
      Question(.color, 0.7992, .leaf(-0.0147), .leaf(0.0257), isMissingLow: true),
    ],
    [
      Question(.odds, 3.3025, .question(1), .leaf(0.0764), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0746), .question(2)),
      Question(.color, 0.7652, .leaf(-0.0090), .leaf(0.0329), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -0.16388, .question(1), .question(2), isMissingLow: true),
      Question(.oddsLead, -4.258, .leaf(-0.0631), .leaf(-0.0079), isMissingLow: true),
      Question(.odds, 3.3025, .leaf(0.0168), .leaf(0.0759), isMissingLow: true),
    ],
    [
      Question(.odds, 3.3025, .question(1), .leaf(0.0745), isMissingLow: true),
      Question(.lead, -3.0544, .leaf(-0.0739), .question(2)),
      Question(.color, 0.7992, .leaf(-0.0077), .leaf(0.0326), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, 0.59784, .question(1), .leaf(0.0596), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0734), .question(2)),
      Question(.color, 0.7992, .leaf(-0.0128), .leaf(0.0243), isMissingLow: true),
    ],
    [
      Question(.odds, 3.3025, .question(1), .leaf(0.0730), isMissingLow: true),
      Question(.oddsLead, -5.4241, .leaf(-0.0632), .question(2), isMissingLow: true),
      Question(.texture, 0.8984, .leaf(0.0171), .leaf(-0.0172), isMissingLow: true),
    ],
    [
      Question(.odds, 3.3025, .question(1), .leaf(0.0720), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0725), .question(2)),
      Question(.color, 0.7992, .leaf(-0.0067), .leaf(0.0322), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, 0.59784, .question(1), .leaf(0.0552), isMissingLow: true),
      Question(.lead, -3.0544, .leaf(-0.0720), .question(2)),
      Question(.color, 0.7652, .leaf(-0.0125), .leaf(0.0229), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -0.40852, .question(1), .question(2), isMissingLow: true),
      Question(.inlierRatio, -1.346, .leaf(-0.0676), .leaf(-0.0107), isMissingLow: true),
      Question(.thirdLead, 7.7708, .leaf(0.0113), .leaf(0.0650), isMissingLow: true),
    ],
    [
      Question(.color, 0.7992, .question(1), .leaf(0.0489), isMissingLow: true),
      Question(.inlierLead, -0.036, .leaf(-0.0680), .question(2)),
      Question(.texture, 0.8988, .leaf(0.0148), .leaf(-0.0251), isMissingLow: true),
    ],
    [
      Question(.odds, 3.3025, .question(1), .leaf(0.0693), isMissingLow: true),
      Question(.oddsLead, -7.0851, .leaf(-0.0670), .question(2)),
      Question(.texture, 0.8984, .leaf(0.0138), .leaf(-0.0159), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, 0.59784, .question(1), .leaf(0.0501), isMissingLow: true),
      Question(.lead, -3.0544, .leaf(-0.0703), .question(2)),
      Question(.color, 0.7612, .leaf(-0.0116), .leaf(0.0209), isMissingLow: true),
    ],
    [
      Question(.odds, 3.3025, .question(1), .leaf(0.0678), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0697), .question(2)),
      Question(.color, 0.7992, .leaf(-0.0057), .leaf(0.0311), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, -1.346, .leaf(-0.0627), .question(1)),
      Question(.odds, 3.3025, .question(2), .leaf(0.0668), isMissingLow: true),
      Question(.texture, 0.8988, .leaf(0.0147), .leaf(-0.0163), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -0.16388, .question(1), .question(2), isMissingLow: true),
      Question(.inlierRatio, -1.346, .leaf(-0.0639), .leaf(-0.0072)),
      Question(.alignedColor, 0, .leaf(0.0100), .leaf(0.0577), isMissingLow: true),
    ],
    [
      Question(.color, 0.8428, .question(1), .leaf(0.0619), isMissingLow: true),
      Question(.inlierLead, -0.0401, .leaf(-0.0617), .question(2)),
      Question(.votes, 390, .leaf(-0.0101), .leaf(0.0234), isMissingLow: true),
    ],
    [
      Question(.lead, -3.0544, .leaf(-0.0678), .question(1)),
      Question(.color, 0.8428, .question(2), .leaf(0.0631), isMissingLow: true),
      Question(.inlierRatio, 0.59784, .leaf(-0.0070), .leaf(0.0390), isMissingLow: true),
    ],
    [
      Question(.oddsLead, -7.0851, .leaf(-0.0625), .question(1)),
      Question(.color, 0.7992, .question(2), .leaf(0.0438), isMissingLow: true),
      Question(.texture, 0.8988, .leaf(0.0125), .leaf(-0.0271), isMissingLow: true),
    ],
    [
      Question(.odds, 3.3025, .question(1), .leaf(0.0632), isMissingLow: true),
      Question(.lead, -3.0544, .leaf(-0.0666), .question(2)),
      Question(.agreement, 0.0784, .leaf(0.0063), .leaf(-0.0255), isMissingLow: true),
    ],
    [
      Question(.voteRatio, 0.58069, .question(1), .leaf(0.0455), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0658), .question(2)),
      Question(.color, 0.7652, .leaf(-0.0098), .leaf(0.0197), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -0.59243, .question(1), .question(2), isMissingLow: true),
      Question(.support, 0.6545, .leaf(-0.0023), .leaf(-0.0326)),
      Question(.color, 0.8428, .leaf(0.0084), .leaf(0.0667), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, 0.59784, .question(1), .question(2), isMissingLow: true),
      Question(.inlierRatio, -1.4271, .leaf(-0.0591), .leaf(-0.0014)),
      Question(.texture, 0.8918, .leaf(0.0676), .leaf(0.0170)),
    ],
    [
      Question(.odds, 3.3025, .question(1), .leaf(0.0606), isMissingLow: true),
      Question(.lead, -3.0544, .leaf(-0.0644), .question(2)),
      Question(.agreement, 0.0784, .leaf(0.0064), .leaf(-0.0257), isMissingLow: true),
    ],
    [
      Question(.oddsLead, -7.0851, .leaf(-0.0584), .question(1)),
      Question(.color, 0.8428, .question(2), .leaf(0.0550), isMissingLow: true),
      Question(.texture, 0.8988, .leaf(0.0136), .leaf(-0.0190), isMissingLow: true),
    ],
    [
      Question(.odds, 3.3025, .question(1), .leaf(0.0590), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0631), .question(2)),
      Question(.agreement, 0.0784, .leaf(0.0060), .leaf(-0.0242), isMissingLow: true),
    ],
    [
      Question(.voteRatio, 0.58069, .question(1), .leaf(0.0402), isMissingLow: true),
      Question(.inlierRatio, -1.4271, .leaf(-0.0564), .question(2)),
      Question(.color, 0.7652, .leaf(-0.0079), .leaf(0.0176), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, 0.59784, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -5.684, .leaf(-0.0617), .leaf(-0.0021)),
      Question(.agreement, 0.0403, .leaf(0.0856), .leaf(0.0169)),
    ],
    [
      Question(.odds, 3.9533, .question(1), .leaf(0.0608), isMissingLow: true),
      Question(.inlierRatio, -1.4271, .leaf(-0.0547), .question(2)),
      Question(.texture, 0.8984, .leaf(0.0126), .leaf(-0.0148), isMissingLow: true),
    ],
    [
      Question(.texture, 0.939, .question(1), .leaf(0.0438), isMissingLow: true),
      Question(.oddsLead, -5.3317, .leaf(-0.0554), .question(2), isMissingLow: true),
      Question(.texture, 0.8988, .leaf(0.0135), .leaf(-0.0200), isMissingLow: true),
    ],
    [
      Question(.color, 0.7992, .question(1), .leaf(0.0322), isMissingLow: true),
      Question(.inlierLead, -0.036, .leaf(-0.0572), .question(2)),
      Question(.votes, 264, .leaf(-0.0137), .leaf(0.0151), isMissingLow: true),
    ],
    [
      Question(.odds, 3.9533, .question(1), .leaf(0.0591), isMissingLow: true),
      Question(.support, 0.1035, .question(2), .leaf(0.0282), isMissingLow: true),
      Question(.texture, 0.8988, .leaf(0.0054), .leaf(-0.0296), isMissingLow: true),
    ],
    [
      Question(.texture, 0.939, .question(1), .question(2), isMissingLow: true),
      Question(.voteRatio, -0.59243, .leaf(-0.0209), .leaf(0.0079), isMissingLow: true),
      Question(.support, 0.446, .leaf(0.0990), .leaf(0.0028)),
    ],
    [
      Question(.odds, 3.9533, .question(1), .leaf(0.0578), isMissingLow: true),
      Question(.lead, -3.0544, .leaf(-0.0591), .question(2)),
      Question(.agreement, 0.0784, .leaf(0.0059), .leaf(-0.0225), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, 0.59784, .question(1), .question(2), isMissingLow: true),
      Question(.voteRatio, -2.5446, .leaf(-0.0555), .leaf(-0.0018)),
      Question(.agreement, 0.0403, .leaf(0.0788), .leaf(0.0133)),
    ],
    [
      Question(.color, 0.7992, .question(1), .leaf(0.0292), isMissingLow: true),
      Question(.inlierLead, -0.036, .leaf(-0.0544), .question(2)),
      Question(.texture, 0.8988, .leaf(0.0093), .leaf(-0.0186), isMissingLow: true),
    ],
    [
      Question(.thirdLead, 7.7708, .question(1), .leaf(0.0428), isMissingLow: true),
      Question(.agreement, 0.0784, .question(2), .leaf(-0.0299), isMissingLow: true),
      Question(.thirdLead, 0.139, .leaf(-0.0133), .leaf(0.0149), isMissingLow: true),
    ],
    [
      Question(.voteRatio, 0.58069, .question(1), .leaf(0.0333), isMissingLow: true),
      Question(.inlierRatio, -1.8171, .leaf(-0.0573), .question(2)),
      Question(.color, 0.7652, .leaf(-0.0076), .leaf(0.0146), isMissingLow: true),
    ],
    [
      Question(.alignedColor, 0.5315, .question(1), .leaf(0.0488), isMissingLow: true),
      Question(.support, 0.1035, .leaf(-0.0068), .question(2), isMissingLow: true),
      Question(.support, 0.3839, .leaf(0.0798), .leaf(-0.0127)),
    ],
    [
      Question(.lead, -3.0544, .leaf(-0.0565), .question(1)),
      Question(.votes, 1002, .leaf(-0.0041), .question(2), isMissingLow: true),
      Question(.agreement, 0.0784, .leaf(0.0661), .leaf(0.0091)),
    ],
    [
      Question(.odds, 3.9533, .question(1), .leaf(0.0543), isMissingLow: true),
      Question(.support, 0.1035, .question(2), .leaf(0.0261), isMissingLow: true),
      Question(.texture, 0.8988, .leaf(0.0061), .leaf(-0.0272), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -2.5446, .leaf(-0.0528), .question(1)),
      Question(.color, 0.8428, .question(2), .leaf(0.0456), isMissingLow: true),
      Question(.texture, 0.8984, .leaf(0.0098), .leaf(-0.0156), isMissingLow: true),
    ],
    [
      Question(.inlierLead, -0.3017, .leaf(-0.0579), .question(1)),
      Question(.color, 0.8428, .question(2), .leaf(0.0459), isMissingLow: true),
      Question(.texture, 0.8984, .leaf(0.0076), .leaf(-0.0132), isMissingLow: true),
    ],
    [
      Question(.texture, 0.9319, .leaf(-0.0046), .question(1), isMissingLow: true),
      Question(.support, 0.3839, .leaf(0.0846), .question(2)),
      Question(.votes, 738, .leaf(-0.0378), .leaf(0.0423), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, 0.59784, .question(1), .question(2), isMissingLow: true),
      Question(.inlierRatio, -1.8171, .leaf(-0.0550), .leaf(-0.0018)),
      Question(.agreement, 0.0403, .leaf(0.0727), .leaf(0.0116)),
    ],
    [
      Question(.lead, -3.0544, .leaf(-0.0543), .question(1)),
      Question(.votes, 1404, .leaf(-0.0031), .question(2), isMissingLow: true),
      Question(.agreement, 0.125, .leaf(0.0594), .leaf(0.0096)),
    ],
    [
      Question(.texture, 0.939, .question(1), .question(2), isMissingLow: true),
      Question(.odds, -5.6302, .leaf(-0.0472), .leaf(-0.0000), isMissingLow: true),
      Question(.patches, 0.962, .leaf(-0.0455), .leaf(0.0528)),
    ],
    [
      Question(.alignedColor, 0.5315, .question(1), .leaf(0.0438), isMissingLow: true),
      Question(.agreement, 0.0784, .question(2), .leaf(-0.0269), isMissingLow: true),
      Question(.patches, 0.3103, .leaf(-0.0007), .leaf(0.0783), isMissingLow: true),
    ],
    [
      Question(.inlierLead, -0.3017, .leaf(-0.0557), .question(1)),
      Question(.alignedColor, 0.0021, .question(2), .leaf(0.0329), isMissingLow: true),
      Question(.agreement, 0.2717, .leaf(0.0008), .leaf(-0.0552), isMissingLow: true),
    ],
    [
      Question(.voteRatio, -2.5446, .leaf(-0.0497), .question(1)),
      Question(.support, 0.1035, .leaf(-0.0017), .question(2), isMissingLow: true),
      Question(.support, 0.3473, .leaf(0.0713), .leaf(-0.0057)),
    ],
    [
      Question(.voteRatio, 0.58069, .question(1), .leaf(0.0280), isMissingLow: true),
      Question(.inlierRatio, -1.8171, .leaf(-0.0525), .question(2)),
      Question(.agreement, 0.0602, .leaf(0.0037), .leaf(-0.0202), isMissingLow: true),
    ],
    [
      Question(.odds, 3.9533, .question(1), .leaf(0.0501), isMissingLow: true),
      Question(.support, 0.1035, .question(2), .leaf(0.0241), isMissingLow: true),
      Question(.texture, 0.8988, .leaf(0.0054), .leaf(-0.0245), isMissingLow: true),
    ],
    [
      Question(.inlierRatio, 0.59784, .leaf(-0.0037), .question(1), isMissingLow: true),
      Question(.texture, 0.8884, .question(2), .leaf(0.0102)),
      Question(.color, 0.5139, .leaf(0.0898), .leaf(0.0102)),
    ],
    [
      Question(.inlierLead, -0.3017, .leaf(-0.0536), .question(1)),
      Question(.votes, 1404, .leaf(-0.0037), .question(2), isMissingLow: true),
      Question(.agreement, 0.125, .leaf(0.0585), .leaf(0.0095)),
    ],
    [
      Question(.texture, 0.9319, .question(1), .question(2), isMissingLow: true),
      Question(.texture, 0.8988, .leaf(0.0057), .leaf(-0.0245), isMissingLow: true),
      Question(.support, 0.3839, .leaf(0.0714), .leaf(-0.0081)),
    ],
    [
      Question(.inlierRatio, -1.8171, .leaf(-0.0512), .question(1)),
      Question(.odds, 3.9533, .question(2), .leaf(0.0488), isMissingLow: true),
      Question(.agreement, 0.0784, .leaf(0.0052), .leaf(-0.0213), isMissingLow: true),
    ],
    [
      Question(.alignedColor, 0.5315, .question(1), .leaf(0.0407), isMissingLow: true),
      Question(.agreement, 0.212, .question(2), .leaf(-0.0377), isMissingLow: true),
      Question(.votes, 1404, .leaf(-0.0044), .leaf(0.0402), isMissingLow: true),
    ],
    [
      Question(.odds, -5.684, .leaf(-0.0504), .question(1)),
      Question(.votes, 264, .leaf(-0.0071), .question(2), isMissingLow: true),
      Question(.texture, 0.8871, .leaf(0.0274), .leaf(0.0021)),
    ],
    [
      Question(.inlierRatio, -1.8171, .leaf(-0.0500), .question(1)),
      Question(.texture, 0.939, .leaf(-0.0013), .question(2), isMissingLow: true),
      Question(.support, 0.3242, .leaf(0.0774), .leaf(-0.0025)),
    ],
    [
      Question(.inlierLead, -0.3017, .leaf(-0.0515), .question(1)),
      Question(.color, 0.7992, .leaf(-0.0027), .question(2), isMissingLow: true),
      Question(.votes, 795, .leaf(0.0029), .leaf(0.0628)),
    ],
    [
      Question(.voteRatio, -2.5446, .leaf(-0.0454), .question(1)),
      Question(.color, 0.848, .question(2), .leaf(0.0370), isMissingLow: true),
      Question(.texture, 0.8984, .leaf(0.0079), .leaf(-0.0133), isMissingLow: true),
    ],
    [
      Question(.thirdLead, 7.7708, .question(1), .leaf(0.0329), isMissingLow: true),
      Question(.agreement, 0.0667, .question(2), .leaf(-0.0246), isMissingLow: true),
      Question(.votes, 247, .leaf(-0.0055), .leaf(0.0153), isMissingLow: true),
    ],
    [
      Question(.lead, -3.0544, .leaf(-0.0485), .question(1)),
      Question(.votes, 1404, .leaf(-0.0028), .question(2), isMissingLow: true),
      Question(.agreement, 0.125, .leaf(0.0474), .leaf(0.0076)),
    ],
    [
      Question(.support, 0.1035, .question(1), .question(2), isMissingLow: true),
      Question(.voteRatio, -0.59243, .leaf(-0.0187), .leaf(0.0063), isMissingLow: true),
      Question(.support, 0.3839, .leaf(0.0563), .leaf(-0.0115)),
    ],
    [
      Question(.inlierLead, -0.3017, .leaf(-0.0496), .question(1)),
      Question(.alignedColor, 0.2883, .question(2), .leaf(0.0365), isMissingLow: true),
      Question(.agreement, 0.087, .leaf(0.0038), .leaf(-0.0286), isMissingLow: true),
    ],
  ]
}
