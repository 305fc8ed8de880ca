# make            the program, ./mlfs-sim
# make test       all tests; last line "N passed, N failed"
# make check      format, floors, static analysis, every policy documented
# make bench      timings (a measurement, not a test)
# make MODE=debug|asan CC=clang ...   objects live in build/MODE-CC/

MODE ?= release
CC   := $(if $(filter default,$(origin CC)),gcc,$(CC))

PACKAGES := gsl libcjson zlib nettle libzstd
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla -Wstrict-prototypes -Wmissing-prototypes \
            -Wdouble-promotion -Wswitch-enum -Werror
MODE_release := -O2 -g
MODE_debug   := -O0 -g
MODE_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

BUILD    := build/$(MODE)-$(notdir $(CC))
CPPFLAGS += -I. -D_GNU_SOURCE $(shell pkg-config --cflags $(PACKAGES))
CFLAGS   += -std=c11 $(MODE_$(MODE)) -ffp-contract=off $(WARNINGS)
LDFLAGS  += $(filter -fsanitize%,$(MODE_$(MODE)))
LDLIBS   += $(shell pkg-config --libs libcjson zlib nettle libzstd) -lgsl -lopenblas -lm -lpthread

FOLDERS := sim/base sim/model traces sim/engine rl policies sim/report
LIBRARY := $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(addsuffix /*.c,$(FOLDERS))))
PROGRAM := $(patsubst %.c,$(BUILD)/%.o,$(wildcard sim/cli/*.c))
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*.c))

all: mlfs-sim

mlfs-sim: $(BUILD)/mlfs-sim
	@ln -sf $< $@

$(BUILD)/mlfs-sim: $(PROGRAM) $(BUILD)/libmlfs.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/libmlfs.a: $(LIBRARY)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libmlfs.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

clean:
	rm -rf build mlfs-sim

.PHONY: all clean
.SECONDARY:
-include $(patsubst %.o,%.d,$(LIBRARY) $(PROGRAM)) $(wildcard $(BUILD)/tests/*.d)
