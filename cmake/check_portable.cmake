# Disassembles PROGRAM with OBJDUMP and fails when it finds a VEX- or EVEX-encoded instruction (AVX
# and later): all of them have mnemonics that start with "v", which no older instruction has except
# verr and verw.
execute_process(
  COMMAND ${OBJDUMP} -d --no-show-raw-insn ${PROGRAM}
  COMMAND grep -m 5 -E "^ +[0-9a-f]+:[[:space:]]+v(add|sub|mul|div|mov|f[mn]|p|x|ins|ext|brd|perm|cvt|sqrt|min|max|and|or|blend|zero|unpck|shuf|cmp|ucomis|comis|round|h|lddqu|mask|gather|test)"
  OUTPUT_VARIABLE found
  RESULTS_VARIABLE codes)
list(GET codes 0 objdump_code)
if(found)
  message(FATAL_ERROR "${PROGRAM} contains instructions beyond x86-64-v2:\n${found}")
endif()
if(NOT objdump_code EQUAL 0)
  message(FATAL_ERROR "could not disassemble ${PROGRAM}: ${objdump_code}")
endif()
message(STATUS "${PROGRAM} contains no AVX instruction")
