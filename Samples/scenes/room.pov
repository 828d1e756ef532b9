// room.pov -- the same objects where people see them: povray +Iroom.pov Declare=Item=0..7.
// Other light, angle and background than in the studio, and clutter around; the last shows
// something that the shop does not sell.
#version 3.7;
#include "catalogue.inc"
#declare Rooms = array[8] {
  "mug-red", "lamp-teal", "bottle-orange", "tote-rust", "sneaker-navy", "oats", "kettle", ""
}
#declare Yaws = array[8] { 9, -8, 12, -12, 14, 10, -12, 15 }
#declare Offset = array[8] { <0.10, 0.04, 0>, <-0.06, 0, 0>, <0.09, 0.02, 0>, <0.05, 0, 0>, <-0.05, 0.10, 0>, <-0.10, 0.02, 0>, <0.06, 0.05, 0>, <0, 0, 0> }

global_settings {
  max_trace_level 8
  radiosity { pretrace_start 0.08 pretrace_end 0.02 count 40 error_bound 0.9 recursion_limit 1 brightness 0.8 }
}

// What is nobody's: a plant in a pot.
#macro Plant()
  union {
    sor { 5, <4, -0.5>, <4.4, 0>, <6.4, 9>, <6.6, 10>, <6.4, 11> T_Matte(C_Rust) }
    #local K = 0;
    #while (K < 26)
      sphere { 0, 1 scale <1.6, 7, 0.5> translate y*7 rotate z*(18 + 42*mod(K*7, 11)/11) rotate y*(K*47) translate y*9 T_Satin(C_Green*(0.8 + 0.05*mod(K, 7))) }
      #local K = K + 1;
    #end
  }
#end

#macro Books(X, Z)
  union {
    #local K = 0;
    #while (K < 4)
      object { RBox(17 - K, 2.4 + mod(K, 2), 12 - 0.6*K, 0.2) rotate y*(9*K - 12) translate y*(3.1*K)
        #switch (K) #case (0) T_Matte(C_Navy) #break #case (1) T_Matte(C_Cream) #break #case (2) T_Matte(C_Forest) #break #else T_Matte(C_Rust) #end }
      #local K = K + 1;
    #end
    translate <X, 0, Z>
  }
#end

#if (Item < 7)
  #local Subject = object { Thing(Rooms[Item]) };
#else
  #local Subject = object { Plant() };
  Size(24, 25)
#end
#local S = Thing_S;

#macro TableTop(Col) plane { y, 0 T_Wood(Col, 0.5) scale S/14 } #end
#macro Wall(Col) plane { -z, -2.4*S pigment { Col } normal { bumps 0.05 scale S*0.02 } finish { F_Matte } } #end
#macro Lamp_Light(P, Col) light_source { P*S, Col area_light <0.7, 0, 0>*S, <0, 0, 0.7>*S, 4, 4 adaptive 1 circular orient } #end
#macro Frame(X, Y, W, H, Col)
  union {
    box { <X - W/2, Y - H/2, 2.36>*S, <X + W/2, Y + H/2, 2.4>*S T_Wood(C_Walnut, 0.2) }
    box { <X - W/2.4, Y - H/2.4, 2.35>*S, <X + W/2.4, Y + H/2.4, 2.37>*S T_Matte(Col) }
  }
#end

#switch (Item)
  #case (0)
    TableTop(C_Oak) Wall(rgb <0.82, 0.80, 0.74>) Frame(-1.3, 1.4, 0.9, 1.1, C_Sage)
    object { Books(0, 0) scale S/30 translate <-1.15, 0, 0.9>*S }
    sphere { <1.25, 0.24, 0.5>*S, 0.24*S T_Satin(C_Green) }
    Lamp_Light(<-1.8, 2.6, -1.4>, rgb <1.0, 0.88, 0.70>) Lamp_Light(<3, 2, -2>, rgb 0.18) #break
  #case (1)
    TableTop(C_Pine) Wall(rgb <0.80, 0.84, 0.88>) Frame(1.05, 0.95, 0.7, 0.8, C_Cream)
    object { Books(0, 0) scale S/60 translate <0.75, 0, 0.5>*S }
    Lamp_Light(<-3, 2.4, -0.6>, rgb <0.86, 0.94, 1.05>) Lamp_Light(<2, 2, -3>, rgb 0.30) #break
  #case (2)
    TableTop(C_Walnut) Wall(rgb <0.70, 0.74, 0.66>)
    object { CampMug(C_Cream, C_Navy, C_Navy) scale S/27 translate <-0.62, 0, 0.45>*S }
    object { Notebook(C_Teal, C_Black) rotate x*78 scale S/34 translate <0.7, 0.03, 0.1>*S }
    Lamp_Light(<2.2, 2.6, -1.6>, rgb <1.0, 0.93, 0.84>) Lamp_Light(<-3, 2, -2>, rgb 0.22) #break
  #case (3)
    plane { y, 0 pigment { bozo color_map { [0 rgb <0.62, 0.58, 0.52>] [1 rgb <0.70, 0.66, 0.60>] } scale 2 } normal { bumps 0.8 scale 0.8 } finish { F_Cloth } }
    Wall(rgb <0.88, 0.86, 0.82>) box { <-6, 0, 2.3>*S, <6, 0.14, 2.4>*S T_Matte(C_White) }
    object { Sneaker(C_Sage, C_White, C_Forest) rotate y*40 scale S/54 translate <0.62, 0, 0.1>*S }
    Lamp_Light(<-2.4, 2.8, -1.8>, rgb <0.98, 0.95, 0.90>) Lamp_Light(<3, 2, -2>, rgb 0.25) #break
  #case (4)
    TableTop(C_Oak*0.8) Wall(rgb <0.60, 0.66, 0.70>)
    object { Backpack(C_Forest, C_Leather) scale S/42 rotate y*-20 translate <0.72, 0, 1.0>*S }
    Lamp_Light(<-2, 3, -1.6>, rgb <0.95, 0.93, 0.88>) Lamp_Light(<3, 2, -2>, rgb 0.28) #break
  #case (5)
    plane { y, 0 pigment { granite color_map { [0 rgb 0.72] [0.6 rgb 0.82] [1 rgb 0.55] } scale S*0.4 } finish { F_Satin } }
    plane { -z, -1.6*S pigment { brick rgb 0.70, rgb <0.86, 0.90, 0.90> brick_size <S*0.5, S*0.25, S> mortar S*0.014 } finish { F_Gloss } }
    object { CoffeeTin(C_Black, C_Brass) scale S/30 translate <0.72, 0, 0.35>*S }
    object { Candle(C_Cream, C_Forest) scale S/30 translate <-0.66, 0, 0.45>*S }
    Lamp_Light(<-1.4, 2.8, -1.8>, rgb <1.0, 0.96, 0.88>) Lamp_Light(<3, 2, -2>, rgb 0.25) #break
  #case (6)
    plane { y, 0 T_Enamel(C_Black) } Wall(rgb <0.66, 0.58, 0.50>)
    object { LabelBox(9, 13, 7, C_Green, C_Cream, "MINT", "HERBAL TEA", 0) scale S/29 rotate y*-20 translate <0.95, 0, 0.6>*S }
    Lamp_Light(<1.2, 2.4, -1.2>, rgb <0.72, 0.58, 0.42>) Lamp_Light(<-3, 2, -2>, rgb 0.14) #break
  #else
    TableTop(C_Pine) Wall(rgb <0.86, 0.84, 0.80>) object { Books(0, 0) scale S/40 translate <-0.9, 0, 0.6>*S }
    Lamp_Light(<-2, 2.6, -1.6>, rgb <1.0, 0.96, 0.9>) Lamp_Light(<3, 2, -2>, rgb 0.25)
#end
sky_sphere { pigment { rgb 0.45 } }

object { Subject }

#local Dist = S/0.72/(2*tan(radians(13)));
camera {
  location vrotate(vrotate(-z*Dist, x*15), -y*Yaws[Item]) + y*Thing_H/2
  right x*image_width/image_height up y
  look_at y*Thing_H/2 - Offset[Item]*S
  angle 2*degrees(atan(tan(radians(13))*max(image_width/image_height, 1)))
}
