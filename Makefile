# make            the program, ./mlfs-sim
# make test       the tests, but for those that take longest; two minutes, and last line "N passed, N failed"
# make check      format, floors, static analysis, every policy documented
# make ci         all tests and check, with gcc and clang; unit, conformance and by-hand tests with the sanitizers too
# make test-long  the slow tests at length, sanitizers, valgrind, analysers, a minute of fuzzing per reader; 25 minutes
# make coverage   which lines and branches the tests reach
# make mutants    do the tests notice a wrong operator?  scripts/mutants.sh -h
# make bench      timings (a measurement, not a test)
# make install    program and manual under PREFIX (/usr/local), below DESTDIR if set
# make MODE=debug|asan|tsan|msan CC=clang ...   objects live in build/MODE-CC/
# make MPI=1      the program whose trainings run on many processes (libopenmpi-dev)
# make V=1        shows whole commands

MAKEFLAGS += --no-print-directory
MODE ?= release
CC   := $(if $(filter default,$(origin CC)),gcc,$(CC))

PACKAGES := gsl libcjson zlib nettle libzstd openblas $(if $(MPI),ompi-c)
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla -Wstrict-prototypes -Wmissing-prototypes \
            -Wdouble-promotion -Wswitch-enum -Werror
MODE_release := -O2 -g
MODE_debug   := -O0 -g
# With clang these objects serve the fuzzers too.
MODE_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
                $(if $(findstring clang,$(CC)),-fsanitize=fuzzer-no-link)

MODE_coverage := -O0 -g --coverage
MODE_tsan    := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
MODE_msan    := -O1 -g -fsanitize=memory -fsanitize-memory-track-origins -fno-omit-frame-pointer

# A missing package is told by its name; the compiler's complaints about headers would not say where to get them.
DEBIAN_gsl      := libgsl-dev
DEBIAN_libcjson := libcjson-dev
DEBIAN_zlib     := zlib1g-dev
DEBIAN_nettle   := nettle-dev
DEBIAN_libzstd  := libzstd-dev
DEBIAN_openblas := libopenblas-serial-dev
DEBIAN_ompi-c   := libopenmpi-dev
ifneq ($(or $(MAKECMDGOALS),all),clean)
ABSENT := $(if $(shell command -v $(firstword $(CC))),,$(firstword $(CC))) \
          $(if $(shell command -v pkg-config),$(if $(shell pkg-config --exists $(PACKAGES) || echo x),\
              $(foreach p,$(PACKAGES),$(if $(shell pkg-config --exists $p || echo x),$(DEBIAN_$p)))),pkgconf)
ifneq ($(strip $(ABSENT)),)
$(error missing: $(strip $(ABSENT)); install with "sh scripts/install-deps.sh --build" or "apt-get install $(strip $(ABSENT))")
endif
endif

BUILD    := build/$(MODE)-$(notdir $(CC))
CPPFLAGS += -I. -D_GNU_SOURCE $(shell pkg-config --cflags $(PACKAGES))
# At a fixed address: the pointers that a checkpoint keeps to code and constants are good in a later process.
CFLAGS   += -std=c11 $(MODE_$(MODE)) -ffp-contract=off -fno-pie $(WARNINGS)
LDFLAGS  += -no-pie $(filter -fsanitize% --coverage,$(MODE_$(MODE)))
LDLIBS   += $(shell pkg-config --libs libcjson zlib nettle libzstd) -lgsl -lopenblas -lm -lpthread

FOLDERS := sim/base sim/model traces sim/engine rl policies sim/report sim/cli
PROGRAM := $(BUILD)/sim/cli/main.o
LIBRARY := $(filter-out $(PROGRAM) $(BUILD)/rl/ranks_%,$(patsubst %.c,$(BUILD)/%.o,$(wildcard $(addsuffix /*.c,$(FOLDERS)))))
LIBRARY += $(BUILD)/figures.o $(BUILD)/models.o $(BUILD)/pageparts.o
MODELS  := $(wildcard rl/models/*.model)
PAGE    := $(wildcard sim/report/page/*)
FIGURES := $(wildcard scripts/figures/*.gp scripts/figures/*.csv)

# A line for each command; `make V=1` shows it whole.
SAY = $(if $(V),,@echo "  build $@"; )

all: mlfs-sim

# With MPI=1 one object is another, and one library more is needed.
RANKED := $(if $(MPI),-mpi)
mlfs-sim: $(BUILD)/mlfs-sim$(RANKED) FORCE
	@[ "$$(readlink $@)" = $< ] || ln -sf $< $@

# A policy loaded from a shared object calls back into the program, so all of it is there and visible.
LINK = $(SAY)$(CC) $(LDFLAGS) -rdynamic -o $@ $(PROGRAM) -Wl,--whole-archive $(filter %.a,$^) -Wl,--no-whole-archive $(LDLIBS)
$(BUILD)/mlfs-sim: $(PROGRAM) $(BUILD)/libmlfs.a
	$(LINK)

$(BUILD)/mlfs-sim-mpi: LDLIBS += $(shell pkg-config --libs ompi-c)
$(BUILD)/mlfs-sim-mpi: $(PROGRAM) $(BUILD)/libmlfs-mpi.a
	$(LINK)

$(BUILD)/libmlfs.a: $(LIBRARY) $(BUILD)/rl/ranks_one.o
$(BUILD)/libmlfs-mpi.a: $(LIBRARY) $(BUILD)/rl/ranks_mpi.o
$(BUILD)/libmlfs.a $(BUILD)/libmlfs-mpi.a:
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/rl/ranks_mpi.o: CPPFLAGS += $(shell pkg-config --cflags ompi-c)
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(SAY)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The text of the figure scripts and the paper's values are part of the program, which so needs no file beside it: figure_NAME, line by line.
$(BUILD)/figures.c: $(FIGURES) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "sim/report/figures.h"'; for f in $(FIGURES); do \
	    echo "const char *const figure_$$(basename $${f%.*})[] = {"; \
	    sed 's/[\\"]/\\&/g; s/.*/    "&\\n",/' $$f; echo "    0};"; done; } >$@

$(BUILD)/figures.o: $(BUILD)/figures.c
	$(SAY)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# So are the trained models: shipped_models, by the name of the policy.
$(BUILD)/models.c: $(MODELS) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "rl/shipped.h"'; \
	    for f in $(MODELS); do \
	        echo "static const unsigned char $$(basename $$f .model | tr - _)[] = {"; \
	        od -v -A n -t x1 $$f | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'; echo '};'; done; \
	    echo 'const ShippedModel shipped_models[] = {'; \
	    for f in $(MODELS); do p=$$(basename $$f .model); v=$$(echo $$p | tr - _); \
	        echo "    {\"$$p\", $$v, sizeof $$v},"; done; echo '    {0}};'; } >$@

$(BUILD)/models.o: $(BUILD)/models.c
	$(SAY)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# And so is what a report page is made of: page_NAME_EXTENSION, one text each.
$(BUILD)/pageparts.c: $(PAGE) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "sim/report/pageparts.h"'; for f in $(PAGE); do \
	    echo "const unsigned char page_$$(basename $$f | tr . _)[] = {"; \
	    od -v -A n -t x1 $$f | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'; echo '0};'; done; } >$@

$(BUILD)/pageparts.o: $(BUILD)/pageparts.c
	$(SAY)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The commit is told by one object, which is built again only when it has changed.
COMMIT := $(or $(shell git --git-dir=.git rev-parse --short HEAD 2>/dev/null),unknown)
$(BUILD)/sim/cli/commit.o: CPPFLAGS += -DMLFS_COMMIT='"$(COMMIT)"'
$(BUILD)/sim/cli/commit.o: $(BUILD)/commit
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@

# ---- tests ----
TEST_NAMES := $(patsubst tests/%.c,%,$(filter-out tests/fuzz_% tests/bench_%,$(wildcard tests/*.c)))
CORE_NAMES := $(filter unit_% conformance byhand%,$(TEST_NAMES))
TESTS      := $(addprefix $(BUILD)/tests/,$(TEST_NAMES))
CORE_TESTS := $(addprefix $(BUILD)/tests/,$(CORE_NAMES))
FUZZERS    := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/fuzz_*.c))
# What takes longest or needs other builds comes first, and is left to `make ci` and `make test-long`.
SLOW       := $(patsubst %,tests/sh/%.sh,readme determinism sweeping checkpoint crash paperfigures scale training)
QUICK      := tests/golden.sh $(filter-out $(SLOW),$(wildcard tests/sh/*.sh))

$(FUZZERS): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libmlfs.a
	$(SAY)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libmlfs.a
	$(SAY)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

tests: $(TESTS)
core-tests: $(CORE_TESTS)
fuzzers: $(FUZZERS)

# The script tests compare this build with an unoptimised one and with another compiler's.
other-builds: all tests
	@$(MAKE) MODE=debug CC=gcc build/debug-gcc/mlfs-sim
	@$(MAKE) MODE=release CC=clang build/release-clang/mlfs-sim
	@! pkg-config --exists ompi-c || $(MAKE) MODE=release CC=gcc build/release-gcc/mlfs-sim-mpi

# The test of the README runs scripts/test.sh in a copy of the tree, beside these scripts: there they are left out.
test: all tests
	@sh tests/run.sh $(if $(MLFS_README),tests/golden.sh,$(QUICK)) $(TESTS)

check: all
	@sh tests/run.sh scripts/check.sh

ci: all tests other-builds
	@$(MAKE) MODE=release CC=clang tests
	@$(MAKE) MODE=asan CC=clang core-tests fuzzers
	@FUZZ_SECONDS=10 sh tests/run.sh $(SLOW) $(QUICK) scripts/check.sh scripts/fuzz.sh $(TESTS) \
	    $(QUICK:%=%@build/release-clang/mlfs-sim) $(TEST_NAMES:%=build/release-clang/tests/%) \
	    $(CORE_NAMES:%=build/asan-clang/tests/%)

# MemorySanitizer takes what a library wrote for unwritten.  So no test is among these that has something from cJSON, zlib, zstd,
# nettle, OpenBLAS or fits of GSL, and none of the checkpoints, whose memory lies where it keeps its own.
MSAN_LEFT_OUT := byhand_rl $(addprefix unit_,clusterspec compare corpus curveerror describe image json limits manifest modelfile net \
                 output_docs paper philly phillyout plot recorders report source training width)
MSAN_NAMES    := $(filter-out $(MSAN_LEFT_OUT),$(CORE_NAMES))

test-long:
	@$(MAKE) MODE=asan CC=clang tests fuzzers build/asan-clang/mlfs-sim
	@$(MAKE) MODE=asan CC=gcc tests
	@$(MAKE) MODE=msan CC=clang $(MSAN_NAMES:%=build/msan-clang/tests/%)
	@$(MAKE) MODE=tsan CC=gcc build/tsan-gcc/mlfs-sim
	@$(MAKE) all tests
	@MLFS=$(CURDIR)/build/tsan-gcc/mlfs-sim sh tests/run.sh tests/sh/cli.sh
	@MLFS=$(CURDIR)/build/asan-clang/mlfs-sim TEST_TIMEOUT=3000 sh tests/run.sh tests/golden.sh tests/sh/cli.sh
	@MLFS_POINTS=20 MLFS_KILLS=100 TEST_TIMEOUT=3000 sh tests/run.sh scripts/analyse.sh scripts/fuzz.sh tests/sh/checkpoint.sh \
	    scripts/memory.sh tests/sh/crash.sh $(TEST_NAMES:%=build/asan-clang/tests/%) $(TEST_NAMES:%=build/asan-gcc/tests/%) \
	    $(MSAN_NAMES:%=build/msan-clang/tests/%)

fuzz:
	@$(MAKE) MODE=asan CC=clang fuzzers
	@sh tests/run.sh scripts/fuzz.sh

coverage: other-builds # some scripts compare this build with those
	@$(MAKE) MODE=coverage CC=gcc build/coverage-gcc/mlfs-sim tests
	@sh scripts/coverage.sh

mutants:
	@sh scripts/mutants.sh

bench: all $(BUILD)/tests/bench_net
	@sh scripts/bench.sh
	@$(BUILD)/tests/bench_net

# ---- installing ----
PREFIX ?= /usr/local

install: all
	install -D $(BUILD)/mlfs-sim $(DESTDIR)$(PREFIX)/bin/mlfs-sim
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/mlfs-sim README.md CHANGELOG.md LICENSE $(wildcard docs/*)

clean:
	rm -rf build mlfs-sim

.PHONY: FORCE all clean test check ci test-long coverage mutants fuzz bench install tests core-tests fuzzers other-builds
.SECONDARY:
-include $(patsubst %.o,%.d,$(LIBRARY) $(PROGRAM)) $(wildcard $(BUILD)/rl/ranks_*.d) $(wildcard $(BUILD)/tests/*.d)
