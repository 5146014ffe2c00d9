/** What everyone must see first: a run that stopped, data that is damaged. */
import { h, iconButton } from "./dom.js";

/** Beyond this many damaged parts one line counts them. */
const MOST = 3;

export class Banners {
    constructor() {
        this.element = h("div", { class: "banners", "aria-live": "polite" });
        this.damages = 0;
    }

    /** @param {"bad"|"notice"} kind */
    add(kind, text) {
        const banner = h(
            "div",
            { class: `banner ${kind}`, role: kind === "bad" ? "alert" : "status" },
            h("span", {}, text),
            iconButton("close", "Dismiss", () => banner.remove()),
        );
        this.element.append(banner);
        return banner;
    }

    damage(message) {
        this.damages++;
        if (this.damages <= MOST) return this.add("bad", `Damaged: ${message}.`);
        this.more ??= this.add("bad", "");
        this.more.querySelector("span").textContent =
            `${this.damages - MOST} more parts of this report are damaged.`;
    }
}

const STATES = {
    stopped: "stopped before its end",
    interrupted: "was interrupted",
    running: "had not ended when this report was made",
};

/** Warnings are seen before the motion is; the summary has all of them.
 * @param {import("../data/report.js").Run} run */
export function warningBanner(banners, run) {
    const warnings = (run.head.messages ?? []).filter(({ severity }) => severity === "warning");
    if (!warnings.length) return;
    const more = warnings.length > 1 ? ` ${warnings.length - 1} more under “Summary”.` : "";
    const banner = banners.add("notice", "");
    banner
        .querySelector("span")
        .append(h("strong", {}, `Warning of ${run.name}:`), ` ${warnings[0].text}.${more}`);
}

/** @param {import("../data/report.js").Run} run */
export function statusBanner(banners, run) {
    const { status, reason } = run.head;
    if (!STATES[status]) return;
    const banner = banners.add(status === "stopped" ? "bad" : "notice", "");
    banner
        .querySelector("span")
        .append(
            h("strong", {}, `The run ${run.name} ${STATES[status]}.`),
            reason ? ` ${reason}` : "",
        );
}
