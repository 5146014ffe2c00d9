# The everyday commands; CMakeLists.txt and CMakePresets.json hold the build itself.
#
#   make            build build/release/limber
#   make demo       install what is missing, build, run a slider-crank, make a report
#   make test       every test in the release build, all but the longest under the sanitizers
#   make sanitize   every test under the sanitizers
#   make manual     the manual as a site, build/manual/index.html; manual-serve shows it
#   make install    PREFIX=/usr/local, DESTDIR= for packagers
#   make bench fuzz soak coverage valgrind format format-check clean

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 14400
# Runs of whole models that take long and no path that others do not take.
LONG = pulses|loop_branches|events_zones|machine_starts|rods_by_shooting|models_iftomm|faults_resume|machine_analyses|kinematics_callback|power_hard|dca_large|statics_neutral|models_convergence|models_forces|kinematics_models|library|library_hydraulics|power_accuracy|library_control|library_friction|linearize_run|models_power|models_servo|models_cross|matrix|models_beams|models_beams2|models_defaults|models_machines|models_rotors|rotors|campbell|campbell_roots|elastodynamic|periodic|minimal|minimal_paper|machining|rfe|rfe_models|ffr_models|dca|tree_solver|radau|bdf|modes_large|modes_run|h5_crash|view_cuts|ffr_bending|ffr_loops
VALGRIND_SKIP ?= $(LONG)
JOBS ?= $(shell nproc)

CONFIGURE = cmake --log-level=WARNING --preset
BUILD = cmake --build
# one more than processors: some tests wait for a browser or a clock
CTEST = ctest --output-on-failure --no-label-summary -j $$(($(JOBS) + 1)) --test-dir
C_FILES = $$(find src include cli examples tests bench fuzz -name '*.[ch]' 2>/dev/null)

MAKEFLAGS += --no-print-directory
.NOTPARALLEL:
.PHONY: all release debug setup demo test sanitize bench fuzz soak install coverage valgrind \
        manual manual-serve format format-check clean

all: release

# LEAVE_OUT: unit tests that are not built
release debug:
	@$(CONFIGURE) $@ -DLIMBER_LEAVE_OUT='$(LEAVE_OUT)' >/dev/null
	@$(BUILD) build/$@ -j $(JOBS)

setup:
	@scripts/setup

demo: setup release
	@mkdir -p build/demo
	./build/release/limber run models/slider_crank_strip.yaml -o build/demo/slider_crank.h5 \
	    --csv build/demo/slider_crank.csv --report build/demo/slider_crank.html
	@echo "There the mechanism moves, and its rod bends."
	@echo "The numbers are in build/demo/slider_crank.csv, the model in models/slider_crank_strip.yaml."

test: setup release
	scripts/check_layers
	scripts/check_functions --strict
	scripts/check_docs
	$(CTEST) build/release
	@$(MAKE) debug LEAVE_OUT='$(LONG)'
	$(CTEST) build/debug

sanitize: setup debug
	$(CTEST) build/debug

bench: setup
	@$(CONFIGURE) release >/dev/null
	@$(BUILD) build/release -j $(JOBS)
	@$(BUILD) build/release -j $(JOBS) --target bench
	@if [ -x scripts/bench ]; then scripts/bench; else \
	    for b in build/release/bench/*; do [ ! -x $$b ] || { echo "== $$b"; $$b; } || exit 1; done; fi

# Models drawn by chance; goes on where it was stopped (build/soak/state.json).
soak: setup release
	tests/soak/soak build/release --seed 100000 --count 10000000 --jobs $(JOBS) --reduce --keep build/soak/found \
	    --state build/soak/state.json --time-limit $(SOAK_SECONDS)

# fuzz_NAME starts from fuzz/corpus/NAME; what reads models also from those of the project, with the keys of
# the schema as words. What it finds goes to build/fuzz.
fuzz:
	@scripts/setup --extra
	@$(CONFIGURE) fuzz >/dev/null
	@$(BUILD) build/fuzz -j $(JOBS)
	@sed -n 's/^KEY("\([^"]*\)".*/"\1: "/p' src/model/schema.def | sort -u >build/fuzz/keys.dict
	@for source in fuzz/fuzz_*.c; do \
	    name=$$(basename $$source .c); name=$${name#fuzz_}; \
	    echo "== fuzz_$$name, $(FUZZ_SECONDS) s"; \
	    mkdir -p build/fuzz/corpus/$$name; \
	    seeds=; [ ! -d fuzz/corpus/$$name ] || seeds=fuzz/corpus/$$name; \
	    case $$name in reader | model) seeds="$$seeds models tests/broken -dict=build/fuzz/keys.dict" ;; esac; \
	    build/fuzz/fuzz_$$name build/fuzz/corpus/$$name $$seeds \
	        -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
	        -artifact_prefix=build/fuzz/$$name- || exit 1; \
	done

install: release
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

# Without tests that limit the size of files: the counters are files, too.
coverage:
	@scripts/setup --extra
	@$(CONFIGURE) coverage >/dev/null
	@$(BUILD) build/coverage -j $(JOBS)
	@find build/coverage -name '*.gcda' -delete
	$(CTEST) build/coverage -E '^cli\.(files|graph|report|valgrind)$$'
	@mkdir -p build/coverage/report
	gcovr --gcov-ignore-parse-errors --root . --filter src/ --filter cli/ --txt --print-summary \
	    --html-details build/coverage/report/index.html build/coverage

# Without the longest runs of whole models, which take half of the time and no path that the others
# do not take. VALGRIND_SKIP=none runs all.
valgrind: setup
	@$(CONFIGURE) valgrind >/dev/null
	@$(BUILD) build/valgrind -j $(JOBS)
	$(CTEST) build/valgrind -L unit -E '^unit\.($(VALGRIND_SKIP))$$'

# Pages of docs/, with the reports that they ask for.
manual: setup release
	@[ manual/node_modules/.package-lock.json -nt manual/package-lock.json ] || \
	    npm --prefix manual ci --no-audit --no-fund --prefer-offline
	@npm --prefix manual run --silent build -- --out=$(CURDIR)/build/manual \
	    --limber=$(CURDIR)/build/release/limber

manual-serve: manual
	@echo "http://localhost:8000, Ctrl-C ends it"
	@python3 -m http.server --bind localhost --directory build/manual 8000

format:
	clang-format -i $(C_FILES)

format-check:
	clang-format --dry-run -Werror $(C_FILES)

clean:
	rm -rf build
