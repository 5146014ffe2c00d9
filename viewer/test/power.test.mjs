/** The balance of the power graph. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { balance } from "../src/ui/power.js";
import { POWER } from "./fixtures.mjs";

test("elements by kind and energy; what only passes power on is left out", () => {
    const { rows, given, missing } = balance(POWER.elements);
    assert.deepEqual(
        rows.map(({ name }) => name),
        ["battery", "m1.bearing", "m1.copper", "m1.winding", "hinge"],
    );
    assert.equal(given, 10);
    assert.ok(Math.abs(missing) < 1e-12);
});

test("a mechanism that brakes gives, and what is not taken is missing", () => {
    const { given, missing } = balance([
        { type: "port", name: "hinge", in: 1, out: 9 },
        { type: "R", name: "brake", in: 7.5, out: 0 },
    ]);
    assert.equal(given, 8);
    assert.equal(missing, 0.5);
});
