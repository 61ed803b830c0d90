// Every class of mistake, with the exact place it is reported at.
#include "scene/keys.h"
#include "scene/read_scene.h"
#include "scene/toml_tree.h"
#include "scene_text.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace talus {
namespace {

struct Mistake {
  const char* what;
  const char* added;  ///< after valid_scene
  int line, column;   ///< line counted from the added text
  const char* says;
};

class SceneMistake : public testing::TestWithParam<Mistake> {};

TEST_P(SceneMistake, IsReportedAtItsPlace) {
  const Mistake& m = GetParam();
  const auto errors = errors_of(valid_scene + m.added);
  ASSERT_EQ(errors.size(), 1u) << fmt::format("{}", fmt::join(errors, "\n"));
  const std::string place = fmt::format("s.toml:{}:{}: error: ", valid_lines + m.line, m.column);
  EXPECT_EQ(errors[0].substr(0, place.size()), place) << errors[0];
  EXPECT_NE(errors[0].find(m.says), std::string::npos) << errors[0];
}

const Mistake mistakes[] = {
    {"UnknownKey", "[sph]\nspaceing = 1\n", 2, 1,
     "unknown key 'spaceing' in [sph]; did you mean 'spacing'?"},
    {"KeyOfAnotherTable", "[sph]\n  duration = 1\n", 2, 3, "'duration' is a key of [scene]"},
    {"UnknownTable", "[sphh]\n", 1, 2, "did you mean 'sph'?"},
    {"WrongType", "[sph]\nspacing = true\n", 2, 11,
     "sph.spacing: expected a number in m, found true or false"},
    {"UnitInText", "[sph]\nspacing = \"5 cm\"\n", 2, 11, "write a plain number in m"},
    {"NotWhole", "[sph]\nmax_iterations = 2.5\n", 2, 18, "expected a whole number"},
    {"OutOfRange", "[sph]\nspacing = -1\n", 2, 11, "-1 is out of range; must be above 0"},
    {"ZeroIsNotPositive", "[sph]\nspacing = 0\n", 2, 11, "must be above 0"},
    {"Nan", "[scene]\nduration = nan\n", 2, 12, "must be a finite number"},
    {"Inf", "[[pour]]\nposition = [9, 9, inf]\nradius = 0.1\nrate = 1\n", 2, 19,
     "must be a finite number"},
    {"Choice", "[scene]\nsolver = \"sphh\"\n", 2, 10, "did you mean 'sph'?"},
    {"ListTooShort", "[scene]\nperiodic = [true]\n", 2, 12, "found a list of 1"},
    {"ZeroDirection", "[render]\nsun_direction = [0, 0, 0]\n", 2, 17, "a direction cannot be"},
    {"ZeroQuaternion",
     "[[body]]\nshape = { type = \"plane\", rotation_quaternion = [0, 0, 0, 0] }\n", 2, 49,
     "quaternion"},
    {"FrictionTwice", "[[material]]\nfriction_angle_deg = 30\nfriction_coefficient = 0.5\n", 3, 1,
     "friction is given twice"},
    {"RotationTwice",
     "[[body]]\nshape = { type = \"plane\", axis = [0, 1, 0], rotation_deg = [0, 0, 1] }\n", 2, 45,
     "rotation is given twice"},
    {"UnusedKey", "[[body]]\nshape = { type = \"plane\", radius = 1 }\n", 2, 27,
     "radius is not used when type is 'plane'"},
    {"UnusedByMotion", "[[body]]\nshape = { type = \"plane\" }\nmass = 1\n", 3, 1,
     "mass is not used when motion is 'fixed', only when it is dynamic"},
    {"UnusedByModel", "[sph]\nbilateral = true\n", 2, 1, "only when it is alduan2011"},
    {"MissingKey", "[[body]]\nshape = { type = \"sphere\" }\n", 2, 9, "shape.radius is missing"},
    {"MissingShape", "[[body]]\n", 1, 1, "body.1.shape is missing"},
    {"ShapeIsNoTable", "[[sink]]\nshape = \"box\"\n", 2, 9, "expected a table such as { type ="},
    {"UnknownPreset", "[[material]]\npreset = \"dry snad\"\n", 2, 10, "did you mean 'dry sand'?"},
    {"UnknownMaterial",
     "[[fill]]\nmaterial = \"grvel\"\nshape = { type = \"sphere\", radius = 1, position = [9, 9, "
     "9] }\n",
     2, 12, "did you mean 'gravel'?"},
    {"DuplicateMaterial", "[[material]]\nname = \"a\"\n[[material]]\nname = \"a\"\n", 4, 8,
     "two of [[material]] are called 'a'"},
    {"DuplicateBody", "[[body]]\nname = \"floor\"\nshape = { type = \"plane\" }\n", 2, 8,
     "two of [[body]] are called 'floor'"},
    {"MissingMesh", "[[body]]\nshape = { type = \"mesh\", file = \"nope.obj\" }\n", 2, 33,
     "there is no file"},
    {"MissingGrainFile", "[[material]]\ngrain_shape = \"nope.txt\"\n", 2, 15, "there is no file"},
    {"UnknownGrainShape", "[[material]]\ngrain_shape = \"clump5\"\n", 2, 15,
     "is not one of sphere, clump2"},
    {"KeyframesOutOfOrder",
     "[[body]]\nmotion = \"scripted\"\nshape = { type = \"plane\" }\n[[body.keyframe]]\ntime = "
     "2\nposition = [0, 0, 0]\n[[body.keyframe]]\ntime = 1\nposition = [0, 0, 1]\n",
     8, 8, "out of order: 1 s comes after 2 s"},
    {"KeyframesAndVelocity",
     "[[body]]\nmotion = \"scripted\"\nvelocity = [1, 0, 0]\nshape = { type = \"plane\" "
     "}\n[[body.keyframe]]\ntime = 2\nposition = [0, 0, 0]\n",
     5, 1, "keep one"},
    {"UnknownBody", "[[joint]]\nbody_a = \"flor\"\nanchor = [0, 0, 0]\n", 2, 10,
     "no body is called 'flor'; did you mean 'floor'?"},
    {"JointHoldsNothing", "[[joint]]\nbody_a = \"floor\"\nanchor = [0, 0, 0]\n", 2, 10,
     "neither side of the joint is dynamic"},
    {"OneLimit",
     "[[body]]\nname = \"b\"\nmotion = \"dynamic\"\nshape = { type = \"sphere\", radius = 0.1 "
     "}\n[[joint]]\ntype = \"hinge\"\nbody_a = \"b\"\nanchor = [0, 0, 0]\nlower = 0\n",
     9, 9, "both limits or none"},
    {"MassAndDensity",
     "[[body]]\nmotion = \"dynamic\"\nmass = 1\ndensity = 1\nshape = { type = \"sphere\", radius = "
     "1 }\n",
     3, 8, "a mass and a density"},
    {"EndlessDynamic", "[[body]]\nmotion = \"dynamic\"\nshape = { type = \"plane\" }\n", 3, 9,
     "no finite mass"},
    {"FillWithoutInside", "[[fill]]\nshape = { type = \"plane\" }\n", 2, 9, "no finite inside"},
    {"FillThinnerThanSpacing",
     "[[fill]]\nshape = { type = \"sphere\", radius = 0.001, position = [9, 9, 9] }\n", 2, 9,
     "nothing fits"},
    {"NozzleTooNarrow", "[[pour]]\nposition = [9, 9, 9]\nradius = 0.001\nrate = 1\n", 3, 10,
     "nothing fits through"},
    {"RateTooHigh", "[[pour]]\nposition = [9, 9, 9]\nradius = 0.1\nrate = 100\n", 4, 8,
     "do not fit through the nozzle"},
    {"NozzlesOverlap",
     "[[pour]]\nposition = [9, 9, 9]\nradius = 0.1\nrate = 1\n[[pour]]\nposition = [9, 9, "
     "9.1]\nradius = 0.1\nrate = 1\n",
     6, 12, "overlap while both pour"},
    {"StopBeforeStart", "[[sink]]\nshape = { type = \"plane\" }\nstart = 2\nstop = 1\n", 4, 8,
     "not after its start"},
    {"TooManyParticles",
     "[[fill]]\nshape = { type = \"sphere\", radius = 130, position = [900, 0, 0] }\n", 2, 9,
     "needs about 1.2e+12 particles; at most 1e+09"},
    {"DomainTooSmall", "[scene]\nperiodic = [true, false, false]\n", 1, 1,
     "the domain is 0 m long on the periodic axis x"},
    {"DomainTooSmallForTheLargerGrains",
     "[scene]\nsolver = \"dem\"\nperiodic = [true, false, false]\ndomain_upper = [0.1, 0, 0]\n"
     "[[material]]\ngrain_diameter = 0.01\n[[material]]\nname = \"stones\"\ngrain_diameter = "
     "0.02\n[[pour]]\nmaterial = \"stones\"\nposition = [0, 0, 5]\nradius = 0.1\nrate = 1\n",
     4, 16, "6 particle sizes = 0.12 m"},
    {"CameraLooksAtItself", "[[camera]]\nposition = [1, 1, 1]\ntarget = [1, 1, 1]\n", 3, 10,
     "looks at the point where it stands"},
    {"CamerasOutOfOrder",
     "[[camera]]\nposition = [1, 1, 1]\ntarget = [0, 0, 0]\n[[camera]]\nposition = [1, 1, "
     "2]\ntarget = [0, 0, 0]\n",
     4, 1, "out of order"},
    {"TooManyFrames", "[scene]\nduration = 90000\nframe_rate = 90000\n", 2, 12,
     "duration x frame_rate"},
    {"FieldTwice", "[output]\nfields = [\"stress\", \"stress\"]\n", 2, 21, "listed twice"},
    {"SingleInsteadOfDouble", "[camera]\n", 1, 1, "write [[camera]] with double brackets"},
    {"DoubleInsteadOfSingle", "[[sph]]\n", 1, 3, "must be one table; write [sph]"},
    {"NegativeGravity", "[scene]\ngravity = -9.81\n", 2, 11, "cannot be negative"},
    {"DuplicateKey", "[sph]\nspacing = 0.1\nspacing = 0.2\n", 3, 11, "cannot redefine"},
    {"BareText", "[scene]\nname = sand\n", 2, 8, "texts stand in quotes"},
    {"Truncated", "[[sink]]\nshape = { type = \"pla", 2, 22, "not valid TOML"},
    {"Control", "a = \"\x01\"\n", 1, 6, "not valid TOML"},
    {"LetterOutsideQuotes", "a = \xcf\xa3\n", 1, 5, "beyond ASCII outside of quotes"},
    {"LetterAfterContinuation", "a = \"\"\"x\\\n \xcf\xa3\"\"\"\n", 2, 2,
     "continued with a backslash"},
    {"HeaderWithoutKey", "[:a]\n", 1, 2, "expected bare key starting character"},
    {"RopeHeldByNobody", "[[rope]]\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nfrom_body = \"flor\"\n", 4, 1,
     "no body is called 'flor'; did you mean 'floor'?"},
    {"RopeTooShort", "[[rope]]\nfrom = [0, 0, 0]\nto = [0.1, 0, 0]\nlinks = 50\n", 1, 1,
     "50 links of radius 0.01 m do not fit in a length of 0.1 m; use at most 3 links"},
    {"RopeOfTooManyLinks", "[[rope]]\nfrom = [0, 0, 0]\nto = [1000000, 0, 0]\nradius = 0.01\n", 1,
     3, "at most 100000 are possible"},
    {"AnimationAndVelocity",
     "[[body]]\nshape = { type = \"box\", size = [1, 1, 1] }\nmotion = \"scripted\"\nvelocity = "
     "[1, 0, 0]\n"
     "animation_file = \"" TALUS_SOURCE_DIR "/README.md\"\n",
     5, 18, "has an animation and also keyframes, a velocity"},
    {"AnimationNodeWithoutFile",
     "[[body]]\nshape = { type = \"box\", size = [1, 1, 1] }\nmotion = \"scripted\"\nvelocity = "
     "[1, 0, 0]\n"
     "animation_node = \"x\"\n",
     5, 18, "names a node but no animation_file"},
    {"ForceEndsBeforeItBegins",
     "[[body]]\nshape = { type = \"box\", size = [1, 1, 1] }\nmotion = \"dynamic\"\nforce = [1, 0, "
     "0]\nforce_start = "
     "2\nforce_stop = 1\n",
     6, 14, "force_stop must come after force_start (2 s)"},
    {"NotUtf8", "a = \"\xff\"\n", 1, 5, "not valid TOML"},
};

INSTANTIATE_TEST_SUITE_P(All, SceneMistake, testing::ValuesIn(mistakes),
                         [](const auto& row) { return std::string(row.param.what); });

/// A scene that a program made: its lines are places of the program's own.
TEST(SceneErrors, OfATreeAreCalledByTheirPlaces) {
  TomlNode root;
  root.at = {0, 1, 1};
  TomlNode spacing;
  spacing.kind = TomlKind::number;
  spacing.number = -1;
  spacing.at = {0, 3, 1};
  TomlNode sph;
  sph.at = {0, 2, 1};
  sph.members.push_back({"spacing", spacing.at, spacing});
  root.members.push_back({"sph", sph.at, sph});
  const auto scene = scene_from_tree(root, {"scene", "sph", "sph.spacing"}, "made");
  ASSERT_FALSE(scene.ok());
  EXPECT_NE(scene.error().message.find("in the scene 'made'\nsph.spacing: error: "),
            std::string::npos)
      << scene.error().message;
}

TEST(SceneErrors, AllOfAFileAtOnceAndInItsOrder) {
  const auto errors = errors_of(
      "[[joint]]\nbody_a = \"x\"\nanchor = [0, 0, 0]\n[sph]\nspacing = 0\nspacng = 1\n[scene]\n"
      "duration = \"long\"\n");
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_EQ(errors[0].substr(0, 12), "s.toml:2:10:");
  EXPECT_EQ(errors[1].substr(0, 12), "s.toml:5:11:");
  EXPECT_EQ(errors[2].substr(0, 11), "s.toml:6:1:");
  EXPECT_EQ(errors[3].substr(0, 12), "s.toml:8:12:");
}

TEST(SceneErrors, SyntaxAndKeysTogether) {
  const auto errors = errors_of("[sph]\nspacing = = 3\nspacin = 3\n[scene]\nname = x\n");
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_NE(errors[1].find("s.toml:3:1: error: unknown key 'spacin'"), std::string::npos);
}

TEST(SceneErrors, AnOpenListIsOneMistake) {
  EXPECT_EQ(errors_of("[output]\nfields = [\n\"stress\"\n[sph]\nspacing = 0.1\n[scene]\n").size(),
            1u);
}

TEST(SceneErrors, KindIsRequestSoThatTheExitCodeIsTwo) {
  EXPECT_EQ(parse_scene("x", "s.toml").error().kind, ErrorKind::request);
  EXPECT_EQ(read_scene("/nonexistent/s.toml").error().kind, ErrorKind::request);
  EXPECT_EQ(read_scene("/").error().kind, ErrorKind::request);
}

TEST(SceneErrors, EmptyFile) {
  const auto errors = errors_of("");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].find("s.toml:1:1: error: nothing is in the scene"), 0u) << errors[0];
}

TEST(SceneErrors, Sizes) {
  const std::string text =
      valid_scene + "[[size]]\nname = \"paper\"\nset = [\"sph.spacng=1\", \"body.wall.mass=2\"]\n";
  EXPECT_TRUE(errors_of(text).empty());  // a size that is not asked for changes nothing
  const auto wrong = errors_of(text, {"size=paper"});
  ASSERT_EQ(wrong.size(), 2u);
  EXPECT_EQ(wrong[0].substr(0, 15), "s.toml:8:8: err");
  EXPECT_NE(wrong[0].find("did you mean 'spacing'?"), std::string::npos) << wrong[0];
  EXPECT_NE(wrong[1].find("which body?"), std::string::npos) << wrong[1];
  const auto unknown = errors_of(text, {"size=papr"});
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_NE(unknown[0].find("no size is called 'papr'; there are: paper"), std::string::npos)
      << unknown[0];
  const auto none = errors_of(valid_scene, {"size=small"});
  ASSERT_EQ(none.size(), 1u);
  EXPECT_NE(none[0].find("no [[size]] tables"), std::string::npos) << none[0];
  for (const char* broken :
       {"size = 3\n", "[size]\nname = \"a\"\n", "[[size]]\nname = \"a\"\nset = 3\n",
        "[[size]]\nname = \"a\"\nset = [3]\n", "[[size]]\nset = []\n"})
    EXPECT_FALSE(errors_of(broken + valid_scene, {"size=a"}).empty()) << broken;
}

TEST(SceneErrors, Overrides) {
  const auto first = [](const std::string& word) {
    const auto errors = errors_of(valid_scene, {word});
    return errors.empty() ? std::string() : errors[0];
  };
  EXPECT_EQ(first("sph.spacin=1"),
            "--set 'sph.spacin=1': error: unknown key 'spacin' in [sph]; did you mean 'spacing'?");
  EXPECT_EQ(first("spacing"), "--set 'spacing': error: expected key=value, e.g. sph.spacing=0.01");
  EXPECT_NE(first("spacing=1").find("expected table.key=value; did you mean 'sph.spacing'?"),
            std::string::npos);
  EXPECT_NE(
      first("body.wall.mass=1").find("which body? Write body.NAME.mass=...; there are: floor"),
      std::string::npos);
  EXPECT_NE(first("sph.spacing=-1").find("sph.spacing: -1 is out of range"), std::string::npos);
  EXPECT_NE(first("sph.spacing.deep=1").find("sph.spacing"), std::string::npos);
  EXPECT_FALSE(first("sph..x=1").empty());
  EXPECT_FALSE(first("=1").empty());
}

TEST(SceneErrors, HopelessInputIsRefusedQuickly) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t n = 1000000;
  std::string dots;
  for (std::size_t i = 0; i < n; ++i) dots += "a.";
  for (const std::string& text :
       {"a = " + std::string(n, '['), "a = " + std::string(n, '{'), dots + "a = 1",
        "[" + dots + "a]", std::string(n, '\0'), std::string(n, '"'), std::string(n, '[')})
    EXPECT_EQ(errors_of(text).size(), 1u);
  const auto too_long = parse_scene(std::string(std::size_t{17} << 20, ' '), "s.toml");
  EXPECT_NE(too_long.error().message.find("longer than 16 MiB"), std::string::npos);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 20);  // a tenth of that on an idle machine
}

TEST(SceneErrors, ManyMistakesAreCutShort) {
  std::string text = "[sph]\n";
  for (int i = 0; i < 5000; ++i) text += fmt::format("key{} = 1\n", i);
  EXPECT_EQ(errors_of(text).size(), 100u);
}

TEST(SceneErrors, AMissingAnimationIsComplainedAboutOnce) {
  const auto errors = errors_of(valid_scene +
                                "[[body]]\nshape = { type = \"sphere\", radius = 1 }\n"
                                "motion = \"scripted\"\nanimation_file = \"none.glb\"\n"
                                "animation_node = \"Cube\"\n");
  ASSERT_EQ(errors.size(), 1u) << fmt::format("{}", fmt::join(errors, "\n"));
  EXPECT_NE(errors[0].find("none.glb"), std::string::npos) << errors[0];
}

TEST(SceneErrors, UnprintableInputIsEscaped) {
  const auto errors = errors_of(valid_scene + "[sph]\n\"a\\u001b[31m\" = 1\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("'a\\x1b[31m'"), std::string::npos) << errors[0];
}

struct Doubt {
  const char* what;
  bool alone;  ///< not after valid_scene
  const char* text;
  int line, column;
  const char* says;
};

class SceneDoubt : public testing::TestWithParam<Doubt> {};

TEST_P(SceneDoubt, IsAWarning) {
  const Doubt& d = GetParam();
  const auto warnings = warnings_of((d.alone ? std::string() : valid_scene) + d.text);
  ASSERT_EQ(warnings.size(), 1u) << fmt::format("{}", fmt::join(warnings, "\n"));
  const std::string place = fmt::format("s.toml:{}:{}: warning: ", d.line, d.column);
  EXPECT_EQ(warnings[0].substr(0, place.size()), place) << warnings[0];
  EXPECT_NE(warnings[0].find(d.says), std::string::npos) << warnings[0];
}

const Doubt doubts[] = {
    {"SteepWithoutCohesion", false, "[[material]]\nfriction_angle_deg = 65\n", 7, 22,
     "friction angle of 65.0 degrees and no cohesion"},
    {"ThinBody", false, "[[body]]\nshape = { type = \"box\", size = [1, 1, 0.01] }\n", 7, 9,
     "sand may pass"},
    {"ThinRope", false, "[[rope]]\nfrom = [0, 0, 3]\nto = [0, 0, 2]\nradius = 0.002\nlinks = 4\n",
     6, 1, "'rope1/0' is 0.004 m thin"},
    {"FillsOverlap", false, "[[fill]]\nshape = { type = \"sphere\", radius = 0.2 }\n", 7, 9,
     "'fill1' and 'fill2' overlap by about 0.034"},
    {"NothingToLandOn", true, "[[fill]]\nshape = { type = \"sphere\", radius = 1 }\n", 1, 1,
     "falls for ever"},
    {"PlaneIsAWall", false, "[scene]\nup = \"y\"\n", 5, 9, "axis = [0, 1, 0]"},
    {"NeverStarts", false,
     "[[sink]]\nshape = { type = \"plane\", position = [0, 0, -5] }\nstart = 99\n", 8, 9,
     "after the end of the scene"},
    {"ScriptedButStill", false, "[[body]]\nmotion = \"scripted\"\nshape = { type = \"plane\" }\n",
     7, 10, "it stands still"},
    {"Antigravity", false, "[scene]\ngravity = [0, 0, 1]\n", 7, 11, "along up"},
};

INSTANTIATE_TEST_SUITE_P(All, SceneDoubt, testing::ValuesIn(doubts),
                         [](const auto& row) { return std::string(row.param.what); });

TEST(SceneWarnings, SteepWithCohesionIsFine) {
  EXPECT_TRUE(
      warnings_of(valid_scene + "[[material]]\nfriction_angle_deg = 65\ncohesion = 100\n").empty());
}

TEST(SceneWarnings, FillsThatTouchDoNotOverlap) {
  EXPECT_TRUE(
      warnings_of(valid_scene +
                  "[[fill]]\nshape = { type = \"box\", size = [1, 1, 1], position = [1, 0, 0] }\n")
          .empty());
}

}  // namespace
}  // namespace talus
