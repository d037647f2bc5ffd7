#include "worker/process.h"

int main(int argument_count, char** arguments) {
  return brim::worker::run_process(argument_count, arguments, brim::worker::brim_code());
}
