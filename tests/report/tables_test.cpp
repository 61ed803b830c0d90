// The tables of a run as plots.
#include "report/tables.h"

#include "frames/scratch_folder.h"

#include <cmath>
#include <gtest/gtest.h>

namespace talus::report {
namespace {

void put(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(ReportTables, ReadsQuotedNamesAndLeavesOutAnUnfinishedLine) {
  const ScratchFolder scratch;
  put(scratch / "t.csv", "frame,body,x\n0,\"a, \"\"b\"\"\nc\",1.5\n1,plain,2\n2,cut,7");
  const auto table = CsvColumns::read(scratch / "t.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows(), 2u);
  EXPECT_EQ(table->texts("body"), (std::vector<std::string>{"a, \"b\"\nc", "plain"}));
  EXPECT_EQ(table->numbers("x"), (std::vector<double>{1.5, 2}));
  EXPECT_TRUE(std::isnan(table->numbers("body")[0]));
  EXPECT_TRUE(table->numbers("nothing").empty());
}

TEST(ReportTables, NamesWhatIsWrong) {
  const ScratchFolder scratch;
  EXPECT_FALSE(CsvColumns::read(scratch / "none.csv"));
  put(scratch / "empty.csv", "");
  EXPECT_FALSE(CsvColumns::read(scratch / "empty.csv"));
  put(scratch / "ragged.csv", "a,b\n1,2\n3\n");
  const auto ragged = CsvColumns::read(scratch / "ragged.csv");
  ASSERT_FALSE(ragged);
  EXPECT_NE(ragged.error().message.find("row 2 has 1 cells"), std::string::npos);
}

TEST(ReportTables, ThinningKeepsPeaks) {
  Plot plot{"k", "t", "u", {}, {{"a", {}}, {"b", {}}}, {}};
  for (int i = 0; i < 10'007; ++i) {
    plot.time.push_back(i);
    plot.series[0].values.push_back(i == 6001 ? 100 : i == 6002 ? -100 : 1);
    plot.series[1].values.push_back(i < 5000 ? NAN : 2);
  }
  thin_plot(plot, 200);
  ASSERT_EQ(plot.time.size(), 200u);
  EXPECT_EQ(plot.time.front(), 0);
  EXPECT_EQ(plot.time.back(), 10'006);
  const auto& a = plot.series[0].values;
  const auto high = std::max_element(a.begin(), a.end()),
             low = std::min_element(a.begin(), a.end());
  EXPECT_EQ(*high, 100);
  EXPECT_EQ(*low, -100);
  EXPECT_LT(high, low) << "their order is kept";
  EXPECT_TRUE(std::isnan(plot.series[1].values.front()));
  EXPECT_EQ(plot.series[1].values.back(), 2);
  for (const Series& s : plot.series) EXPECT_EQ(s.values.size(), plot.time.size());
}

TEST(ReportTables, PlotsOfARun) {
  const ScratchFolder scratch;
  put(scratch / "statistics.csv",
      "frame,time_s,particles,steps,mean_dt_s,smallest_dt_s,smallest_dt_reason,pressure_iterations,"
      "friction_iterations,mean_density_error,max_density_error,stress_change,max_speed_m_s,"
      "kinetic_energy_J,potential_energy_J,asleep,contacts,poured,drained,blocked\n"
      "0,0,10,0,0,0,,0,0,0,0,0,0,0,5,0,0,0,0,0\n"
      "1,0.1,10,4,0.025,0.01,speed,12,8,0.01,0.2,0,3,2,4,0,0,0,0,0\n"
      "2,0.2,10,4,0.025,0.01,speed,12,8,0.01,0.2,0,9,2,3,0,0,0,0,0\n");
  put(scratch / "forces.csv",
      "frame,time_s,body,force_x_N,force_y_N,force_z_N,torque_x_Nm,torque_y_Nm,torque_z_Nm,"
      "peak_force_N\n0,0,a,0,0,0,0,0,0,0\n0,0,still,0,0,0,0,0,0,0\n"
      "1,0.1,a,1,2,3,0,0,0,9\n1,0.1,still,0,0,0,0,0,0,0\n");
  put(scratch / "timings.csv",
      "frame,phase,calls,seconds\n0,all,1,0\n1,walls,4,1\n1,sweep,4,2\n"
      "1,all,1,4\n2,all,1,100\n");
  const RunTables tables = read_tables(scratch.path(), 1);
  EXPECT_TRUE(tables.notes.empty());
  std::vector<std::string> keys;
  for (const Plot& plot : tables.plots) keys.push_back(plot.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"energy", "speed", "particles", "iterations", "density",
                                            "step", "force", "time"}));
  EXPECT_EQ(tables.plots[0].series[1].values, (std::vector<double>{1, 0}));
  EXPECT_TRUE(std::isnan(tables.plots[3].series[0].values[0])) << "no step led to frame 0";
  EXPECT_EQ(tables.plots[3].series[0].values[1], 3);
  EXPECT_EQ(tables.plots[6].title, "Force on a");
  EXPECT_EQ(tables.wall_seconds, 4) << "rows after the last frame do not count";
  ASSERT_EQ(tables.phases.size(), 3u);
  EXPECT_EQ(tables.phases[0].name, "sweep");
  EXPECT_EQ(tables.phases[2].name, "other");
  EXPECT_EQ(tables.phases[2].seconds, 1);
  EXPECT_EQ(tables.fastest, 3);
  EXPECT_EQ(tables.particle_steps, 40);
}

TEST(ReportTables, MissingTablesAreNoted) {
  const ScratchFolder scratch;
  const RunTables tables = read_tables(scratch.path(), 0);
  EXPECT_TRUE(tables.plots.empty());
  EXPECT_EQ(tables.notes.size(), 3u);
}

}  // namespace
}  // namespace talus::report
