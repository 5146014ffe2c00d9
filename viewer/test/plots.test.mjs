/** Numbers on their way into plots. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gaps, indexAt, joined, toCsv } from "../src/plots/join.js";
import { fixedFor, number } from "../src/ui/format.js";
import { search } from "../src/data/variables.js";

test("NaN is a gap, and on a log scale so is zero", () => {
    assert.deepEqual(gaps([1, NaN, Infinity, 0, -2], false), [1, null, null, 0, -2]);
    assert.deepEqual(gaps([1, NaN, 0, -2], true), [1, null, null, null]);
});

test("series of different x share one", () => {
    const data = joined(
        [
            { x: [0, 1, 2, 3], y: [1, NaN, 3, 4] },
            { x: [0, 0.5, 2, 2.5], y: [4, 5, 6, 7] },
        ],
        false,
    );
    assert.deepEqual(data[0], [0, 0.5, 1, 2, 2.5, 3]);
    // A gap (null) reaches over the points that only the other has; elsewhere these are no gap.
    assert.deepEqual(Array.from(data[1]), [1, null, null, 3, undefined, 4]);
    assert.deepEqual([data[2][1], data[2][4]], [5, 7]);
});

test("rows that go back in x are left out", () => {
    assert.deepEqual(joined([{ x: [0, 1, 1, 0.5, 2], y: [0, 1, 2, 3, 4] }], false), [
        [0, 1, 2],
        [0, 1, 4],
    ]);
});

test("the row of a time", () => {
    assert.deepEqual(
        [-1, 0, 0.4, 1, 9].map((t) => indexAt([0, 0.5, 1], t)),
        [0, 0, 0, 2, 2],
    );
});

test("CSV quotes names and leaves gaps empty", () => {
    assert.equal(
        toCsv(
            "t",
            ['a "b", c'],
            [
                [0, 1],
                [0.1, null],
            ],
        ),
        't,"a ""b"", c"\n0,0.1\n1,\n',
    );
});

test("numbers for people", () => {
    assert.deepEqual(
        [0, 1.5, -1234.56, 1.23e-7, -2e9, NaN, null].map((v) => number(v)),
        ["0", "1.5", "−1235", "1.23e−7", "−2e9", "–", "–"],
    );
    assert.equal(fixedFor([0, 0.01, 0.02])(0.02), "0.02");
    assert.equal(fixedFor([0, 0.002])(0.002), "0.002");
});

test("search: all words, anywhere", () => {
    const list = [
        { label: "rod.node(1).x", group: "poses" },
        { label: "rod", group: "results" },
    ];
    assert.deepEqual(
        search(list, "node rod").map((v) => v.label),
        ["rod.node(1).x"],
    );
    assert.equal(search(list, "rod")[0].label, "rod");
    assert.equal(search(list, "nothing").length, 0);
});
