/* Light or dark, before anything is drawn: what was chosen on an earlier page, or what the system says. */
"use strict";

const colours = {
    system: matchMedia("(prefers-color-scheme: dark)"),
    chosen() {
        try {
            return localStorage.getItem("limber-colours");
        } catch {
            return null; // pages that are opened as files may have no storage
        }
    },
    set() {
        document.documentElement.dataset.theme =
            this.chosen() ?? (this.system.matches ? "dark" : "light");
    },
    toggle() {
        const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
        document.documentElement.dataset.theme = theme;
        try {
            localStorage.setItem("limber-colours", theme);
        } catch {}
    },
};
colours.set();
