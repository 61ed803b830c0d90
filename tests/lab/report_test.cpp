#include "lab/report.h"

#include "frames/atomic_file.h"
#include "frames/scratch_folder.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace talus::lab {
namespace {

namespace fs = std::filesystem;

LabReport example() {
  LabReport report;
  report.quantities = {{"slope", "degrees", 30.2, 0.1, 29, 31, "asked for"},
                       {"rate <of flow>", "1/s", 7, 0, 1, 2, "a paper"}};
  report.remarks = {{"beta", 1.3, 0.02, "1.35"}};
  Plot plot{"slopes", "A plot", "x", "y", true, true, {}};
  // A logarithmic axis must live with zeros, negative numbers and things that are not finite.
  plot.curves = {{"measured", CurveKind::points, {0, 1, 10}, {-1, 2, 30}, {0.1, 0.1, 0.1}},
                 {"published", CurveKind::published, {1, 10}, {1, std::nan("")}, {}},
                 {"nothing", CurveKind::line, {}, {}, {}}};
  report.plots = {plot};
  return report;
}

class ReportFolder : public testing::Test {
 protected:
  std::string text(const std::string& name) {
    auto t = read_text_file(folder_ / name, 1 << 26);
    return t ? *t : "";
  }
  ScratchFolder scratch_;
  fs::path folder_ = scratch_.path();
};

TEST_F(ReportFolder, HoldsNumbersCurvesPlotsAndAPage) {
  const Experiment& experiment = lab_experiments().front();
  const std::string name(experiment.name);
  const Circumstances how{"2026-11-16", "1.0", "a machine", 2, false, 12};
  ASSERT_TRUE(write_report(folder_, experiment, example(), how).ok());
  ASSERT_TRUE(write_page(folder_).ok());
  EXPECT_NE(text(name + ".json").find("\"in_band\": false"), std::string::npos);
  EXPECT_NE(text(name + ".csv").find("\"slopes\",\"measured\",10,30"), std::string::npos);
  EXPECT_EQ(text(name + "_slopes.png").substr(1, 3), "PNG");
  EXPECT_NE(text(name + "_slopes.svg").find("<svg"), std::string::npos);
  const std::string page = text("index.html");
  EXPECT_NE(page.find("rate &lt;of flow&gt;"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos) << "the page must not need other files";
}

TEST_F(ReportFolder, ADamagedReportIsNamed) {
  fs::create_directories(folder_);
  const std::string name = std::string(lab_experiments().front().name) + ".json";
  ASSERT_TRUE(write_text_file(folder_ / name, "{\"passed\": tr").ok());
  const Status s = write_page(folder_);
  ASSERT_FALSE(s.ok());
  EXPECT_NE(s.error().message.find(name), std::string::npos);
}

TEST(Report, TheTableSaysWhatIsOut) {
  const std::string t = table("slopes", example());
  EXPECT_NE(t.find("ok\n"), std::string::npos);
  EXPECT_NE(t.find("OUT\n"), std::string::npos);
  EXPECT_NE(t.find("slopes: OUT OF BAND (1 of 2 within their bands)"), std::string::npos);
}

TEST(Report, EveryExperimentHasItsFolder) {
  for (const Experiment& e : lab_experiments())
    EXPECT_TRUE(fs::exists(fs::path(TALUS_SOURCE_DIR) / "lab" / e.name / "README.md")) << e.name;
}

}  // namespace
}  // namespace talus::lab
