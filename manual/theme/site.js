/* Menu, light and dark, search, diagrams. A plain script, so that pages work when opened as files. */
"use strict";

const root = document.documentElement;
const up = document.body.dataset.up;

// --- menu of narrow screens ---
const menu = document.getElementById("menu");
menu.addEventListener("click", () => {
    const open = document.body.classList.toggle("menu-open");
    menu.setAttribute("aria-expanded", open);
});
document.querySelector("#sidebar [aria-current]")?.scrollIntoView({ block: "nearest" });

// --- diagrams, drawn again when the colours change ---
const diagrams = [...document.querySelectorAll("pre.mermaid")].map((element) => ({
    element,
    text: element.textContent,
}));
async function draw() {
    if (diagrams.length === 0) return;
    mermaid.initialize({
        startOnLoad: false,
        theme: root.dataset.theme === "dark" ? "dark" : "neutral",
        flowchart: { htmlLabels: true },
    });
    for (const [i, { element, text }] of diagrams.entries())
        element.innerHTML = (await mermaid.render(`diagram${i}`, text)).svg;
    root.dataset.drawn = "yes";
}
draw();

// --- light and dark ---
document.getElementById("theme").addEventListener("click", () => {
    colours.toggle();
    draw();
});
colours.system.addEventListener("change", () => {
    colours.set();
    draw();
});

// --- search ---
const query = document.getElementById("query");
const found = document.getElementById("found");
let loading;

function loadIndex() {
    loading ??= new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = `${up}theme/search.js`;
        script.onload = () =>
            done(
                window.limberSearch.map((entry) => [
                    ...entry,
                    entry.slice(1).map((s) => s.toLowerCase()),
                ]),
            );
        script.onerror = failed;
        document.head.append(script);
    });
    return loading;
}

/** All words must be there; those in headings and titles count more, whole words more than parts. */
function score([, , , , [title, heading, text]], words) {
    let sum = 0;
    for (const word of words) {
        const start = new RegExp(
            `(^|[^\\p{L}\\p{N}_])${word.replace(/[^\p{L}\p{N}_]/gu, "\\$&")}`,
            "u",
        );
        let best = 0;
        if (heading.includes(word)) best = start.test(heading) ? 12 : 6;
        else if (title.includes(word)) best = start.test(title) ? 5 : 3;
        if (text.includes(word)) best += start.test(text) ? 2 : 1;
        if (best === 0) return 0;
        sum += best;
    }
    return sum;
}

function excerpt(text, words) {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 40);
    return (at > 0 ? "... " : "") + text.slice(at, at + 130);
}

function show(hits, words) {
    found.replaceChildren(
        ...hits.map(([address, title, heading, text]) => {
            const item = document.createElement("a");
            item.href = up + address;
            const head = document.createElement("strong");
            head.textContent = heading && heading !== title ? `${title}: ${heading}` : title;
            const line = document.createElement("span");
            line.textContent = excerpt(text, words);
            item.append(head, line);
            return item;
        }),
    );
    if (hits.length === 0) found.textContent = "Nothing found.";
    found.hidden = false;
}

async function search() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0 || words.join("").length < 2) {
        found.hidden = true;
        return;
    }
    const index = await loadIndex();
    const hits = index
        .map((entry) => ({ entry, points: score(entry, words) }))
        .filter(({ points }) => points > 0)
        .sort((a, b) => b.points - a.points)
        .slice(0, 20);
    show(
        hits.map(({ entry }) => entry),
        words,
    );
}

query.addEventListener("input", search);
query.addEventListener("focus", search);
query.addEventListener("keydown", (event) => {
    if (event.key === "Enter") found.querySelector("a")?.click();
    if (event.key === "ArrowDown") found.querySelector("a")?.focus();
    if (event.key === "Escape") query.blur();
});
found.addEventListener("keydown", (event) => {
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!step) return;
    event.preventDefault();
    (document.activeElement[step] ?? query).focus();
});
document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
        event.preventDefault();
        query.focus();
    }
});
document.addEventListener("click", (event) => {
    if (!event.target.closest(".search")) found.hidden = true;
});
