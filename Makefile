# cachetriage - estimates what GPU cache mechanisms would do for a trace.
# `make list` names the targets. GNU make; no configure step.

VERSION := $(shell cat VERSION)
BUILD ?= build
CC := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
CFLAGS ?= -O3 -g
PREFIX ?= /usr/local
DESTDIR ?=
PROGRAM_PREFIX ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share/cachetriage
MANDIR ?= $(PREFIX)/share/man
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
PYTHONDIR ?= $(DATADIR)/python
PKG_CONFIG ?= pkg-config
INSTALL ?= install

PACKAGES = libzstd libpcre2-8 gsl liblzma zlib
# What pkg-config says is asked once, by the first rule that needs it: it takes 17 ms, and there are 800 objects in a build.
PACKAGE_CFLAGS = $(eval PACKAGE_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES)))$(PACKAGE_CFLAGS)
PACKAGE_LIBS = $(eval PACKAGE_LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES)))$(PACKAGE_LIBS)
WARN = -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
       -Wpointer-arith -Wvla -Wformat=2 -Wwrite-strings -Wundef
# Hardened unless sanitized: checked string functions (level 3 where headers and compiler have it),
# stack protector, position-independent commands, read-only relocations. HARDEN= leaves it out. (Objects are
# position-independent with and without it: POSITION below.)
RELRO = -Wl,-z,relro,-z,now
SYSTEM := $(shell uname -s)
ifeq ($(strip $(SANFLAGS)),)
  FORTIFY3 := $(shell echo '\#include <stdio.h>' | $(CC) -O1 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -E - \
    >/dev/null 2>&1 && echo yes)
  FORTIFY := $(if $(findstring _FORTIFY_SOURCE,$(CFLAGS)),,$(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),\
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(if $(FORTIFY3),3,2)))
  HARDEN ?= $(FORTIFY) -fstack-protector-strong
  HARDEN_LINK ?= $(if $(strip $(HARDEN)),-pie $(if $(filter Linux,$(SYSTEM)),$(RELRO)))
endif
# make NOSIMD=1 (with a BUILD of its own): only the portable variants of the hot loops.
NOSIMD_FLAGS = $(if $(NOSIMD),-DCT_NO_SIMD)
# Names of C++ kernels are demangled by libiberty, where its header is (Debian: libiberty-dev); else they are only cut.
IBERTY := $(shell echo '\#include <libiberty/demangle.h>' | $(CC) -E - >/dev/null 2>&1 && echo yes)
# The commands and the shared libraries are made of the same objects, each of which is compiled once. Only what public
# headers declare can be seen of a shared library (lib/base/decls.h), and nobody may put another function in its place, so
# that calls inside are direct.
SHARED ?= $(if $(filter Linux FreeBSD NetBSD OpenBSD DragonFly,$(SYSTEM)),yes)
POSITION = $(if $(SHARED),-fPIC -fvisibility=hidden -fno-semantic-interposition,-fPIE)
# No fused multiply-add: results are the same on every machine.
ALL_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 \
             -DCT_VERSION='"$(VERSION)"' -DCT_DATADIR='"$(DATADIR)"' -DCT_LIBDIR='"$(LIBDIR)"' \
             -Ilib -I. -Itools $(PACKAGE_CFLAGS) \
             $(WARN) -ffp-contract=off -pthread -MMD -MP $(HARDEN) $(POSITION) $(NOSIMD_FLAGS) $(CFLAGS) $(SANFLAGS) $(COLD_FLAGS)
LIBS = $(PACKAGE_LIBS) $(if $(IBERTY),-liberty) -lm -pthread
DL := $(if $(filter Linux,$(SYSTEM)),-ldl)
comma := ,
# The last one: adding zero to a null pointer is no error, as it is none to gcc. Reading and writing through one still are.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -fno-delete-null-pointer-checks

LIB_SRC := $(wildcard lib/*/*.c)
RUNTIME_SRC := $(wildcard runtime/*.c runtime/*/*.c)
MODEL_SRC := $(wildcard models/*.c models/*/*.c)
COMMON_SRC := $(wildcard tools/common/*.c)
TOOLS := $(filter-out estimator,$(patsubst tools/%.c,%,$(wildcard tools/*.c)))
SUPPORT_SRC := $(wildcard tests/support/*.c)
UNITS := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
BENCHES := $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/*.c))
# Programs that campaigns and a thousandth of them in the suite run.
MEASURERS := $(addprefix $(BUILD)/tests/,fidelity silicon truth gate random packed)
MAN := $(wildcard man/*.[1357])
# A header that says "Private" in its first comment, or *_internal.h, stays in the tree; so do models, but for the
# interface through which programs know them.
PUBLIC_MODELS = $(addprefix models/,mechanism.h observers.h plugin.h registry.h verdict/verdict.h \
  common/constants.h common/figure.h common/number.h common/records.h common/workload.h)
PUBLIC_HEADERS = $(filter-out %_internal.h,$(shell for h in lib/*/*.h; do \
  head -n 14 $$h | grep -qi private || echo $$h; done)) $(PUBLIC_MODELS)

# Optional: the Oclgrind plugin of `tracegen capture`, where its headers are.
CAPTURE_FLAGS := $(shell CXX='$(CXX)' sh tools/tracegen/capture/detect.sh)
CAPTURE := $(if $(CAPTURE_FLAGS),$(BUILD)/lib/cachetriage-capture.so)

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
LIB = $(BUILD)/lib/libcachetriage.a
MODELS = $(BUILD)/lib/libctmodels.a
COMMON = $(BUILD)/lib/libcttool.a
# What is installed: lib and models in one archive, and in a shared library where the linker makes such (SHARED= leaves
# it out). Before 1.0 every minor version may change what programs are compiled with.
INSTALLED = $(BUILD)/lib/installed/libcachetriage.a
SONAME = libcachetriage.so.$(basename $(VERSION))
SO = $(if $(SHARED),$(BUILD)/lib/libcachetriage.so.$(VERSION))
SUPPORT = $(BUILD)/lib/libctsupport.a
# What tests call of a command's own files: all but its main().
OWN = $(BUILD)/lib/libtracegen.a
# With THREADS_ONLY= of tsan-few unit tests are linked with the library and what supports them alone: nothing else is compiled.
UNIT_LIBS = $(SUPPORT) $(if $(THREADS_ONLY),,$(OWN) $(COMMON) $(MODELS) $(RUNTIME)) $(LIB)
# Workloads in CUDA: their host code is C, their kernels are data.
WORKLOADS := $(wildcard data/workloads/*.cu)
# The kernels of cuBLAS, cuRAND, cuSPARSE and cuFFT, which are data, too.
OWN_KERNELS := $(wildcard data/blas/*.cu data/rand/*.cu data/sparse/*.cu data/fft/*.cu)
# The run-time library of CUDA programs (ctcc), and the same for tests.
CUDA = $(if $(SHARED),$(BUILD)/lib/libctcuda.so)
RUNTIME = $(BUILD)/lib/libctruntime.a
# The commands of the mechanisms are links to one program, which names them itself: the list of them is a file.
ESTIMATOR = $(BUILD)/lib/estimator
ESTIMATORS = $(BUILD)/bin/.estimators
COMMANDS = $(TOOLS) $$(cat $(ESTIMATORS))

.SECONDEXPANSION:
.SECONDARY:
.DELETE_ON_ERROR:

## all: the library and every command, in build/
all: $(LIB) $(TOOLS:%=$(BUILD)/bin/%) $(ESTIMATORS) $(CAPTURE) $(CUDA) $(if $(CUDA),toolkit)

$(BUILD)/obj/%.o: %.c Makefile VERSION
	@mkdir -p $(@D)
	@echo "  CC      $@"; $(CC) $(ALL_CFLAGS) -c -o $@ $<

# COLD= is added where time goes into compiling, and little into what is compiled: commands' own files, run-time library, tests.
$(foreach d,tools runtime tests data,$(BUILD)/obj/$(d)/%.o): COLD_FLAGS = $(COLD)
$(BUILD)/obj/tools/common/kernel_name.o: ALL_CFLAGS += $(if $(IBERTY),-DCT_HAVE_LIBIBERTY)

# An empty archive is legal: a room may have no code yet.
define archive
@mkdir -p $(@D)
@rm -f $@
@echo "  AR      $@"; ar rcs $@ $^
endef
$(LIB): $(call obj,$(LIB_SRC))
	$(archive)
$(MODELS): $(call obj,$(MODEL_SRC))
	$(archive)
$(COMMON): $(call obj,$(COMMON_SRC))
	$(archive)
$(RUNTIME): $(call obj,$(RUNTIME_SRC))
	$(archive)
$(INSTALLED): $(call obj,$(LIB_SRC) $(MODEL_SRC))
	$(archive)

$(BUILD)/lib/libcachetriage.so.$(VERSION): $(call obj,$(LIB_SRC) $(MODEL_SRC))
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) -shared -Wl,-soname,$(SONAME) $(RELRO) $(LDFLAGS) -o $@ $^ $(LIBS)
# Its interface is CUDA's: no version in its name, and no name of its own (packaging/toolkit.sh). What it is made of stays inside.
$(BUILD)/lib/libctcuda.so: $(call obj,$(RUNTIME_SRC)) $(LIB) runtime/exports.map
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) -shared -Wl,--version-script=runtime/exports.map \
	  $(if $(strip $(SANFLAGS)),,-Wl$(comma)-z$(comma)defs) -Wl,--as-needed $(RELRO) $(LDFLAGS) -o $@ $(filter-out %.map,$^) $(LIBS) $(DL)
toolkit: $(CUDA) $(BUILD)/bin/ctcc
	@sh packaging/toolkit.sh $(BUILD)/toolkit ../../bin/ctcc $(CURDIR)/data/cuda $(abspath $(CUDA))
$(SUPPORT): $(call obj,$(SUPPORT_SRC))
	$(archive)
$(BUILD)/obj/%.o: %.cu Makefile VERSION
	@mkdir -p $(@D)
	@echo "  CC      $@"; $(CC) $(ALL_CFLAGS) -c -o $@ -x c $<
$(BUILD)/lib/libtracegen.a: $(call obj,$(wildcard tools/tracegen/*.c tools/tracegen/*/*.c)) $(WORKLOADS:%.cu=$(BUILD)/obj/%.o)
	$(archive)

# Oclgrind and LLVM come without RTTI; what the program's process loads stays loaded.
$(BUILD)/lib/cachetriage-capture.so: tools/tracegen/capture/plugin.cpp tools/tracegen/capture/protocol.h Makefile
	@mkdir -p $(@D)
	@echo "  CXX     $@"; $(CXX) -std=c++17 -O2 -Wall -Wextra -Werror -fPIC -fno-rtti -shared -Wl,-z,nodelete \
	  -o $@ $< $(CAPTURE_FLAGS)

# A command is tools/NAME.c, with tools/NAME/*.c where it needs more than one file.
$(BUILD)/bin/%: $(BUILD)/obj/tools/%.o $$(call obj,$$(wildcard tools/$$*/*.c tools/$$*/*/*.c)) $(COMMON) $(MODELS) $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS) $(DL)

$(BUILD)/bin/tracegen: $(WORKLOADS:%.cu=$(BUILD)/obj/%.o)

$(ESTIMATOR): $(call obj,tools/estimator.c $(wildcard tools/estimator/*.c)) $(COMMON) $(MODELS) $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS) $(DL)

$(ESTIMATORS): $(ESTIMATOR)
	@mkdir -p $(@D)
	@find $(@D) -type l -exec rm -f {} +
	@$(ESTIMATOR) --commands | while read -r c; do [ -e tools/$$c.c ] || echo $$c; done > $@.new
	@while read -r c; do echo "  LN      $(@D)/$$c"; ln -sf ../lib/estimator $(@D)/$$c || exit 1; done < $@.new
	@mv $@.new $@

$(BUILD)/tests/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/obj/tests/fuzz/driver/replay.o $(SUPPORT) $(OWN) $(COMMON) $(MODELS) $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS) $(DL)

# The same target for a fuzzing engine (tests/fuzz/build.sh): libFuzzer's or AFL++'s driver is main().
$(BUILD)/engine/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(SUPPORT) $(OWN) $(COMMON) $(MODELS) $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LIBS) $(DL)

$(BUILD)/tests/bench_%: $(BUILD)/obj/tests/bench/bench_%.o $(SUPPORT) $(MODELS) $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(UNIT_LIBS)
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS) $(DL) -lcmocka

# Its functions stand in front of malloc and its kin, also under the sanitizers.
$(BUILD)/tests/test_nomem: LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign

tests: all $(UNITS:%=$(BUILD)/tests/%) $(FUZZERS:%=$(BUILD)/tests/%) $(MEASURERS) $$(FAULTS)

# The C files of which tests are not made, for a compiler that only looks for warnings (-fsyntax-only makes no object).
syntax: $(call obj,$(wildcard $(addprefix tests/,bench/*.c fuzz/driver/*.c lowering/*.c)))

## library: the static and the shared library that `make install` installs
library: $(INSTALLED) $(SO)

## demo: installs what is missing, builds, runs the main pipe on a generated trace
demo: deps-missing
	@$(MAKE) --no-print-directory all
	@sh tests/demo.sh $(BUILD)

## check: the same set-up, then every test, under the sanitizers
# Commands are made by gcc, what is sanitized by clang: both have then told their warnings of every file. clang compiles without
# optimization in a third of the time that gcc takes with -O1; with -O1 what it makes is as fast.
check: deps-missing
	@$(MAKE) --no-print-directory all library $(BENCHES:%=$(BUILD)/tests/%) $(MEASURERS) $(FAULTS)
	@$(MAKE) --no-print-directory BUILD=build/asan CC=clang CFLAGS="-O1 -g1" COLD=-O0 SANFLAGS="$(SANITIZE)" CAPTURE= tests
	@$(MAKE) --no-print-directory BUILD=build/clang CC=clang CFLAGS="-fsyntax-only" CAPTURE= syntax
	@bash tests/run.sh build build/asan

## quick: unit and golden tests of the plain build only (while developing)
quick: tests library
	@bash tests/run.sh $(BUILD) $(BUILD)

## bench: speed, as a table and in build/bench.tsv
bench: all $(BENCHES:%=$(BUILD)/tests/%)
	@bash tests/bench/run.sh $(BUILD)

# Ours against a cycle-level simulator on the shared reference runs.
$(BUILD)/tests/fidelity: $(call obj,$(wildcard tests/fidelity/*.c) tests/support/replay_trace.c) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS)

## fidelity: our counts and cycles beside the reference simulator's, row by row
fidelity: $(BUILD)/tests/fidelity
	@bash tests/fidelity/run.sh $(BUILD)
## quick-against-full: quick replay beside full on kernels of our own (a minute)
quick-against-full: $(BUILD)/tests/fidelity $(BUILD)/bin/tracegen
	@bash tests/fidelity/kernels.sh $(BUILD)

# Replays what verdicts are about.
$(BUILD)/tests/truth: $(call obj,tests/verdicts/truth.c) $(MODELS) $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS)

## verdicts: verdicts beside replays in full timing, to build/verdicts.tsv (JOBS=, an hour; goes on where it stopped)
verdicts: all $(BUILD)/tests/truth
	@bash tests/verdicts/run.sh $(BUILD) verdicts

## reasons: do verdicts' reasons agree with their numbers, over all built-in workloads (some minutes)
reasons: tests
	@CT_REASONS=all bash tests/run.sh $(BUILD) $(BUILD) reasons

## sweeps: twenty points of a sweep over PROFILES= beside replays of them, to build/sweep.tsv
sweeps: all
	@bash tests/verdicts/sweep.sh $(BUILD) $(PROFILES)

## transfer: verdicts on small scaled workloads beside those on large ones, to build/transfer.tsv
transfer: all $(BUILD)/tests/truth
	@bash tests/verdicts/run.sh $(BUILD) transfer

# Replays that show what a program would gain from more of what a mechanism gives.
$(BUILD)/tests/gate: $(call obj,tests/validation/gate.c tests/support/replay_trace.c) $(MODELS) $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/tests/silicon: $(call obj,tests/silicon/measure.c) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS)

## silicon: replays beside a board's counters, to build/silicon.tsv; POLYBENCH= and RODINIA= name checkouts, SILICON= the counters
silicon: all $(BUILD)/tests/silicon
	@bash tests/silicon/run.sh $(BUILD)

$(BUILD)/tests/lowering: $(call obj,tests/lowering/measure.c) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS)

## lowering: instructions of lowered programs beside a board's; POLYBENCH= and RODINIA= name checkouts
lowering: all $(BUILD)/tests/lowering
	@bash tests/lowering/run.sh $(BUILD)

## suites: every program of checkouts POLYBENCH= and RODINIA= compiled and run, of HECBENCH= with sizes that end in a minute, a row a program (half an hour or an hour each)
suites: all
	@bash tests/suites/run.sh $(BUILD)

## validation: the papers' programs at the papers' size beside the papers' numbers (hours; goes on where it stopped)
validation: all $(BUILD)/tests/truth $(BUILD)/tests/gate
	@bash tests/validation/run.sh $(BUILD)

# Makes one library call of a command fail (glibc only).
$(BUILD)/tests/inject.so: tests/faults/inject.c Makefile
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) -std=c11 $(WARN) -Wno-missing-prototypes -O1 -shared -fPIC -o $@ $<
$(BUILD)/tests/faults: tests/faults/faults.c Makefile
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) -std=c11 $(WARN) -O1 -o $@ $<
FAULTS = $(BUILD)/tests/inject.so $(BUILD)/tests/faults

## faults: every allocation, read, write, close and open of every command fails in turn (12 CPU minutes)
faults: all $(FAULTS)
	@CT_TIMEOUT=7200 CT_FAULT_RUNS=$${RUNS:-1000000} bash tests/run.sh $(BUILD) $(BUILD) faults

# Writes programs that are CUDA and C at once.
$(BUILD)/tests/random: $(call obj,tests/random/generate.c)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^

## random-programs: two hundred random CUDA programs beside the host's compiler (ten minutes)
random-programs: all $(BUILD)/tests/random
	@bash tests/random/run.sh $(BUILD) $${PROGRAMS:-200}

## operands: every form of PTX instruction on a million random operands beside C (some seconds)
operands: $(BUILD)/tests/test_ptx_exec
	@CT_TIMEOUT=7200 CT_PTX_OPERANDS=1000000 bash tests/run.sh $(BUILD) $(BUILD) test_ptx_exec

## math: the device's mathematics on a million operands a function (three CPU minutes)
math: $(BUILD)/bin/ctcc $(BUILD)/tests/test_cuda_math
	@CT_TIMEOUT=7200 CT_MATH_OPERANDS=1000000 bash tests/run.sh $(BUILD) $(BUILD) test_cuda_math

## hostile: the differential and hostile tests at full length
hostile: all $(FAULTS) $(BUILD)/tests/test_damage
	@CT_HOSTILE=1 bash tests/run.sh $(BUILD) $(BUILD) hostile differ test_damage

## long: ten minutes of streaming, 10^9 accesses, samples of 10^9 instructions, 10000 traces in one triage (hours)
$(BUILD)/tests/stream: tests/long/stream.c Makefile
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) -std=c11 $(WARN) -O2 -o $@ $<
$(BUILD)/tests/packed: $(BUILD)/obj/tests/long/packed.o $(LIB)
	@mkdir -p $(@D)
	@echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS)
long: all $(BUILD)/tests/stream $(BUILD)/tests/packed
	@bash tests/long/run.sh $(BUILD)

## coverage: lines of lib and models that the suite reaches, to build/cov/coverage.tsv
coverage:
	@$(MAKE) --no-print-directory BUILD=build/cov CFLAGS=-O0 SANFLAGS='--coverage -fprofile-update=atomic' CAPTURE= tests
	@bash tests/coverage.sh build/cov

## fuzz: libFuzzer on every target for T seconds each (default 60)
T ?= 60
fuzz:
	@bash tests/fuzz/run.sh $(T)

## campaign: fuzzes for CPU seconds a target (1800), goes on where it stopped, in build/campaign; FUZZER=afl for AFL++
campaign:
	@bash tests/fuzz/campaign.sh build build/campaign $(or $(FUZZER),libfuzzer)
	@nice -n 19 bash tests/fuzz/campaign.sh run build/campaign
	@bash tests/fuzz/campaign.sh table build/campaign

## tsan: the threaded parts under ThreadSanitizer
TSAN_TESTS = test_base test_source test_stack test_observer test_cta test_replay_team
tsan:
	@$(MAKE) --no-print-directory BUILD=build/tsan CFLAGS="-O1 -g" SANFLAGS="-fsanitize=thread -fno-omit-frame-pointer" \
	  CAPTURE= all $(TSAN_TESTS:%=build/tsan/tests/%)
	@bash tests/tsan.sh build/tsan

## tsan-few: a minute of that, for CI: two commands and two tests
tsan-few:
	@$(MAKE) --no-print-directory BUILD=build/tsan-few CFLAGS=-O0 THREADS_ONLY=1 SANFLAGS="-fsanitize=thread -fno-omit-frame-pointer" \
	  CAPTURE= $(addprefix build/tsan-few/,bin/mpki bin/tracecat tests/test_base tests/test_source)
	@bash tests/tsan.sh build/tsan-few few

## nosimd: the tests of what has vector variants, in a build without them
NOSIMD_TESTS = test_stack test_setlru test_shards test_bdi test_observer test_coalesce test_ctz_list test_replay_tags test_replay_lru test_ptx_exec
nosimd:
	@$(MAKE) --no-print-directory BUILD=build/nosimd NOSIMD=1 CFLAGS=-O1 CAPTURE= $(NOSIMD_TESTS:%=build/nosimd/tests/%)
	@set -e; for t in $(NOSIMD_TESTS); do CMOCKA_MESSAGE_OUTPUT=TAP build/nosimd/tests/$$t; done

## analyse: cppcheck, clang-tidy and gcc's analyzer, those that are installed; goes on where it stopped
analyse:
	@bash tests/analyse.sh

## valgrind: golden runs under valgrind
valgrind: all $(FAULTS)
	@bash tests/valgrind.sh $(BUILD)

## format: lays the C code out as .clang-format says (clang-format 14 or 19)
CLANG_FORMAT ?= clang-format
format:
	@find lib models runtime tools tests doc -path tests/fuzz/corpus -prune -o -name '*.[ch]' -print | xargs $(CLANG_FORMAT) -i

## deps: installs the Debian packages that building and testing need
deps:
	@sh tests/deps.sh install
deps-missing:
	@sh tests/deps.sh missing

## install: commands, library, headers, man pages, data under PREFIX (DESTDIR, PROGRAM_PREFIX)
install: all library
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(DATADIR)
	for t in $(TOOLS); do $(INSTALL) -m 755 $(BUILD)/bin/$$t $(DESTDIR)$(BINDIR)/$(PROGRAM_PREFIX)$$t || exit 1; done
	first=; for t in $$(cat $(ESTIMATORS)); do c=$(DESTDIR)$(BINDIR)/$(PROGRAM_PREFIX)$$t; \
	  if [ -n "$$first" ]; then ln -f $$first $$c; else first=$$c; $(INSTALL) -m 755 $(ESTIMATOR) $$c; fi || exit 1; done
	$(INSTALL) -m 644 $(INSTALLED) $(SO) $(CAPTURE) $(CUDA) $(DESTDIR)$(LIBDIR)/
	$(if $(SO),ln -sf $(notdir $(SO)) $(DESTDIR)$(LIBDIR)/$(SONAME) && ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libcachetriage.so)
	for h in $(PUBLIC_HEADERS); do d=$(DESTDIR)$(INCLUDEDIR)/cachetriage/$$(dirname $${h#lib/}); \
	  $(INSTALL) -d $$d && $(INSTALL) -m 644 $$h $$d/ || exit 1; done
	sed -e 's,@PREFIX@,$(PREFIX),g' -e 's,@LIBDIR@,$(LIBDIR),g' -e 's,@INCLUDEDIR@,$(INCLUDEDIR),g' \
	  -e 's,@DATADIR@,$(DATADIR),g' -e 's,@VERSION@,$(VERSION),g' -e 's,@PRIVATE@,$(if $(SO),.private),' \
	  -e 's,@STATIC_LIBS@,$(if $(SO),, -lm -pthread),' lib/cachetriage.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/cachetriage.pc
	for m in $(MAN); do d=$(DESTDIR)$(MANDIR)/man$${m##*.}; b=$${m#man/}; \
	  case $$m in *.1) b=$(PROGRAM_PREFIX)$$b;; esac; \
	  $(INSTALL) -d $$d && $(INSTALL) -m 644 $$m $$d/$$b || exit 1; done
	sh packaging/pages.sh "$(PROGRAM_PREFIX)" "$(DESTDIR)$(MANDIR)" $(COMMANDS)
	$(INSTALL) -d $(DESTDIR)$(PYTHONDIR)
	sed -e 's,@PROGRAM_PREFIX@,$(PROGRAM_PREFIX),' python/cachetriage.py > $(DESTDIR)$(PYTHONDIR)/cachetriage.py
	$(INSTALL) -m 644 python/example.py $(DESTDIR)$(PYTHONDIR)/
	cd data && find . -type f | while read -r f; do $(INSTALL) -D -m 644 "$$f" "$(DESTDIR)$(DATADIR)/$$f" || exit 1; done
	$(if $(CUDA),sh packaging/toolkit.sh $(DESTDIR)$(DATADIR)/toolkit $(BINDIR)/$(PROGRAM_PREFIX)ctcc ../cuda $(LIBDIR)/libctcuda.so)
	@$(MAKE) --no-print-directory BUILD=$(BUILD) completions
	for t in $(COMMANDS); do p=$(PROGRAM_PREFIX)$$t; \
	  $(INSTALL) -D -m 644 $(BUILD)/completions/bash/$$t $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$p && \
	  $(INSTALL) -D -m 644 $(BUILD)/completions/zsh/_$$t $(DESTDIR)$(ZSHDIR)/_$$p && \
	  $(INSTALL) -D -m 644 $(BUILD)/completions/fish/$$t.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$p.fish || exit 1; done

## workloads: compiles the kernels of data/workloads, data/blas, data/rand, data/sparse and data/fft again, with clang 19, to the PTX that they run
workloads: $(BUILD)/bin/ctcc
	@for f in $(WORKLOADS); do CTCC_CLANG=$${CTCC_CLANG:-clang-19} $(BUILD)/bin/ctcc -ptx -arch=sm_80 -o $${f%.cu}.ptx $$f || exit 1; done
	@for f in $(OWN_KERNELS); do CTCC_CLANG=$${CTCC_CLANG:-clang-19} $(BUILD)/bin/ctcc -std=c++17 -ptx -arch=sm_70 -o $${f%.cu}.ptx $$f || exit 1; done

## completions: of bash, zsh and fish, from the commands' --help, in build/completions
completions: all
	@sh completions/generate.sh $(BUILD)/bin $(BUILD)/completions $(PROGRAM_PREFIX)

## deb: Debian packages in build/deb
deb: all
	@sh packaging/deb.sh $(BUILD)

## uninstall: removes what install put there
uninstall: $(ESTIMATORS)
	for t in $(COMMANDS); do rm -f $(DESTDIR)$(BINDIR)/$(PROGRAM_PREFIX)$$t $(DESTDIR)$(MANDIR)/man1/$(PROGRAM_PREFIX)$$t.1; done
	for m in $(filter-out %.1,$(MAN)); do rm -f $(DESTDIR)$(MANDIR)/man$${m##*.}/$${m#man/}; done
	rm -f $(DESTDIR)$(LIBDIR)/libcachetriage.a $(DESTDIR)$(LIBDIR)/libcachetriage.so $(DESTDIR)$(LIBDIR)/$(SONAME) \
	  $(DESTDIR)$(LIBDIR)/libcachetriage.so.$(VERSION) $(DESTDIR)$(LIBDIR)/cachetriage-capture.so $(DESTDIR)$(LIBDIR)/libctcuda.so $(DESTDIR)$(LIBDIR)/pkgconfig/cachetriage.pc
	rm -f $(DESTDIR)$(PYTHONDIR)/cachetriage.py $(DESTDIR)$(PYTHONDIR)/example.py
	rm -rf $(DESTDIR)$(INCLUDEDIR)/cachetriage $(DESTDIR)$(DATADIR)
	for t in $(COMMANDS); do p=$(PROGRAM_PREFIX)$$t; rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$p \
	  $(DESTDIR)$(ZSHDIR)/_$$p $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$p.fish; done

## dist: a source archive of the committed tree
dist:
	@mkdir -p build
	git archive --prefix=cachetriage-$(VERSION)/ -o build/cachetriage-$(VERSION).tar.gz HEAD

# For tests/golden/house.sh.
public-headers:
	@printf '%s\n' $(PUBLIC_HEADERS)

## clean: removes build/
clean:
	rm -rf build

## list: names the targets
list help:
	@sed -n 's/^## //p' Makefile

.PHONY: toolkit sweeps lowering suites operands random-programs workloads reasons all tests syntax library public-headers demo check quick bench fidelity quick-against-full silicon validation faults math hostile long coverage fuzz campaign tsan tsan-few nosimd analyse valgrind deps deps-missing install uninstall completions deb dist clean format list help

-include $(shell find $(BUILD)/obj $(BUILD)/pic -name '*.d' 2>/dev/null)
