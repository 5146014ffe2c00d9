/**
 * Markdown to HTML: equations by KaTeX, code by highlight.js, both when the site is built. Links are
 * left to the caller.
 */
import hljs from "highlight.js/lib/common";
import cmake from "highlight.js/lib/languages/cmake";
import katex from "katex";
import MarkdownIt from "markdown-it";

hljs.registerLanguage("cmake", cmake);

export const escapeHtml = (text) =>
    text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

/** Commands and what they print look different; a line that begins with $ is a command. */
function highlightShell(text) {
    const prompts = /^\$ /m.test(text);
    return text
        .split("\n")
        .map((line) => {
            const html = escapeHtml(line);
            if (prompts && !line.startsWith("$ ")) return `<span class="said">${html}</span>`;
            return html
                .replace(/(^|\s)(# .*)$/, '$1<span class="hljs-comment">$2</span>')
                .replace(/^\$ /, '<span class="prompt">$ </span>');
        })
        .join("\n");
}

export function highlight(text, language) {
    if (language === "sh" || (!language && /^\$ /.test(text))) return highlightShell(text);
    if (language && hljs.getLanguage(language)) return hljs.highlight(text, { language }).value;
    return escapeHtml(text);
}

const equation = (text, displayMode) =>
    katex.renderToString(text, { displayMode, throwOnError: true, strict: "error" });

function inlineMath(state, silent) {
    const { src, pos } = state;
    if (src[pos] !== "$") return false;
    const display = src[pos + 1] === "$";
    const start = pos + (display ? 2 : 1);
    const end = src.indexOf(display ? "$$" : "$", start);
    if (end <= start) return false;
    const text = src.slice(start, end);
    if (!display && (/^\s|\s$/.test(text) || /\d/.test(src[end + 1] ?? ""))) return false;
    if (!silent) Object.assign(state.push("math", "math", 0), { content: text, meta: { display } });
    state.pos = end + (display ? 2 : 1);
    return true;
}

/** A block from a line that begins with $$ to the one that ends with it. */
function blockMath(state, first, last, silent) {
    const line = (n) => state.src.slice(state.bMarks[n] + state.tShift[n], state.eMarks[n]);
    if (!line(first).startsWith("$$")) return false;
    let end = first;
    while (!(line(end).trimEnd().endsWith("$$") && (end > first || line(end).trim().length > 4)))
        if (++end >= last) return false;
    if (silent) return true;
    const text = Array.from({ length: end - first + 1 }, (_, i) => line(first + i))
        .join("\n")
        .trim();
    Object.assign(state.push("math", "math", 0), {
        content: text.slice(2, -2),
        meta: { display: true },
        block: true,
    });
    state.line = end + 1;
    return true;
}

/** The name that GitHub gives to a heading. */
function slug(text, taken) {
    const base = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
        .replace(/ /g, "-");
    const count = taken.get(base) ?? 0;
    taken.set(base, count + 1);
    return count ? `${base}-${count}` : base;
}

const plainText = (tokens) =>
    tokens.map((token) => (token.children ? plainText(token.children) : token.content)).join("");

function rules(md) {
    const { rules: render } = md.renderer;
    render.math = (tokens, i) => {
        const { content, meta } = tokens[i];
        const html = equation(content, meta.display);
        return meta.display ? `<div class="equation">${html}</div>\n` : html;
    };
    render.fence = (tokens, i) => {
        const { content, info } = tokens[i];
        const language = info.trim();
        if (language === "mermaid") return `<pre class="mermaid">${escapeHtml(content)}</pre>\n`;
        return `<pre class="code"><code>${highlight(content, language)}</code></pre>\n`;
    };
    render.table_open = () => '<div class="table"><table>\n';
    render.table_close = () => "</table></div>\n";
    render.heading_close = (tokens, i) => {
        const id = tokens[i - 2].attrGet("id");
        return `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a></${tokens[i].tag}>\n`;
    };
}

/**
 * Returns { title, headings: [{level, id, text}], sections: [{id, heading, text}], html }.
 * link(address, page) gives the address to write, report(arguments, page) the HTML of a report.
 */
export function renderer({ link, report }) {
    const md = new MarkdownIt({ html: true });
    md.inline.ruler.before("escape", "math", inlineMath);
    md.block.ruler.before("fence", "math", blockMath, { alt: ["paragraph", "list"] });
    rules(md);
    const html = (tokens, i, options, { page }) => {
        const marker = /^<!-- report: (.*?) -->/.exec(tokens[i].content.trim());
        if (marker) return report(marker[1], page);
        return tokens[i].content
            .replace(/<!--.*?-->\n?/gs, "")
            .replace(
                /\b(src|href|srcset)="([^"]*)"/g,
                (_, key, to) => `${key}="${link(to, page)}"`,
            );
    };
    md.renderer.rules.html_block = html;
    md.renderer.rules.html_inline = html;

    return (source, page) => {
        const tokens = md.parse(source, {});
        const taken = new Map();
        const headings = [];
        const sections = [{ id: "", heading: "", text: "" }];
        tokens.forEach((token, i) => {
            if (token.type === "heading_open") {
                const text = plainText([tokens[i + 1]]);
                const id = slug(text, taken);
                token.attrSet("id", id);
                const html = md.renderer.renderInline(tokens[i + 1].children, md.options, { page });
                headings.push({ level: Number(token.tag[1]), id, text, html });
                sections.push({ id, heading: text, text: "" });
            } else if (token.type === "inline" && tokens[i - 1].type !== "heading_open") {
                sections.at(-1).text += plainText([token]).replace(/\s+/g, " ") + " ";
            } else if (token.type === "fence") {
                sections.at(-1).text += token.content.replace(/\s+/g, " ") + " ";
            }
            for (const child of token.children ?? []) {
                if (child.type === "link_open")
                    child.attrSet("href", link(child.attrGet("href"), page));
                if (child.type === "image") child.attrSet("src", link(child.attrGet("src"), page));
            }
        });
        const title = headings.find((heading) => heading.level === 1)?.text ?? page;
        return {
            title,
            headings,
            sections,
            html: md.renderer.render(tokens, md.options, { page }),
        };
    };
}
