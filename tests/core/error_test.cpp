#include "brim/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/check.h"

namespace brim {
namespace {

constexpr ErrorKind kKinds[] = {ErrorKind::kUsage,  ErrorKind::kStorage,   ErrorKind::kMemory,
                                ErrorKind::kWorker, ErrorKind::kCancelled, ErrorKind::kInternal};

TEST(Error, ShowsWhatThenWhereThenWhatToDo) {
  const Error error({ErrorKind::kMemory, "does not fit", "raise --memory", {"chunk (0,)", "op mean-1, task 3"}});
  EXPECT_STREQ(error.what(), "does not fit\n  in chunk (0,)\n  in op mean-1, task 3\n  raise --memory");
}

TEST(Error, WithoutHintAndContextIsOneLine) { EXPECT_STREQ(UsageError("no such name").what(), "no such name"); }

TEST(Error, HasTheExitCodeOfItsKind) {
  EXPECT_EQ(UsageError("x").exit_code(), 2);
  EXPECT_EQ(StorageError("x").exit_code(), 3);
  EXPECT_EQ(MemoryError("x").exit_code(), 4);
  EXPECT_EQ(WorkerError("x").exit_code(), 5);
  EXPECT_EQ(InternalError("x").exit_code(), 70);
  EXPECT_EQ(Cancelled("x").exit_code(), 130);
}

template <typename Kind>
bool throws_as(const ErrorRecord& record) {
  try {
    throw_error(record);
  } catch (const Kind& error) {
    return error.record().kind == record.kind && error.record().what == record.what &&
           error.record().hint == record.hint && error.record().context == record.context &&
           error.what() == std::string(Error(record).what());
  } catch (...) {
    return false;
  }
}

TEST(Error, ThrownFromARecordHasItsTypeAndEverythingInIt) {
  const auto record = [](ErrorKind kind) { return ErrorRecord{kind, "what", "hint", {"inner", "outer"}}; };
  EXPECT_TRUE(throws_as<UsageError>(record(ErrorKind::kUsage)));
  EXPECT_TRUE(throws_as<StorageError>(record(ErrorKind::kStorage)));
  EXPECT_TRUE(throws_as<MemoryError>(record(ErrorKind::kMemory)));
  EXPECT_TRUE(throws_as<WorkerError>(record(ErrorKind::kWorker)));
  EXPECT_TRUE(throws_as<Cancelled>(record(ErrorKind::kCancelled)));
  EXPECT_TRUE(throws_as<InternalError>(record(ErrorKind::kInternal)));
}

TEST(Error, KindsHaveDifferentExitCodesThatAreNeitherSuccessNorACrash) {
  std::set<int> codes;
  for (const ErrorKind kind : kKinds) codes.insert(Error({kind, "x", {}, {}}).exit_code());
  EXPECT_EQ(codes.size(), std::size(kKinds));
  EXPECT_FALSE(codes.contains(0));
  EXPECT_FALSE(codes.contains(1)) << "1 is what everything else gives";
}

TEST(Error, FromARecordOfAnUnknownKindIsAnInternalError) {
  EXPECT_THROW(throw_error({static_cast<ErrorKind>(99), "from another version", {}, {}}), Error);
  EXPECT_EQ(Error({static_cast<ErrorKind>(99), "x", {}, {}}).exit_code(), 70);
}

TEST(Check, PassesWhenTheConditionHolds) { EXPECT_NO_THROW(check(true, "one is one")); }

TEST(Check, NamesTheInvariantAndThePlace) {
  try {
    check(false, "the ledger balances");
    FAIL() << "passed";
  } catch (const InternalError& error) {
    EXPECT_NE(error.record().what.find("the ledger balances"), std::string::npos);
    EXPECT_NE(error.record().what.find("error_test.cpp:"), std::string::npos);
  }
}

}  // namespace
}  // namespace brim
