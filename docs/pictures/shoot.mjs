/* Takes the pictures of the HTML page, of a terminal and of a comment: shoot.mjs FOLDER PICTURES. make.sh calls it and
 * makes the files of FOLDER: report.html, terminal.ansi, comment.html. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browserOpen, chartsDrawn } from "../../tests/html/support.mjs";

/* hash: address within the page; width: of the page, in pixels; from, to: first and last element of the picture. Every
 * picture becomes 1280 pixels wide. A narrower page has larger words, which a README shows at 800 pixels. */
const PICTURE_WIDTH = 1280;
const reports = [
    { name: "report-light", scheme: "light", hash: "", width: 960, from: "#verdict", to: "#changes .chart svg" },
    { name: "report-dark", scheme: "dark", hash: "", width: 960, from: "#verdict", to: "#changes .chart svg" },
    { name: "case", scheme: "light", hash: "#case=parse/lines=1000/cpu", width: 1280, from: ".one", to: ".one .suggestion > p:nth-of-type(2)" },
];
/* make: the body of the picture from the text of a file. */
const texts = [
    { name: "terminal-light", scheme: "light", width: 980, file: "terminal.ansi", make: terminalBody },
    { name: "terminal-dark", scheme: "dark", width: 980, file: "terminal.ansi", make: terminalBody },
    { name: "comment-light", scheme: "light", width: 980, file: "comment.html", make: commentBody },
    { name: "comment-dark", scheme: "dark", width: 980, file: "comment.html", make: commentBody },
];
const ABOVE = 14; /* pixels of background above the first element */

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

const CODES = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`);

/* Select Graphic Rendition (ECMA-48): 0 resets, 1 is bold, 2 is faint, 38;5;N is a colour of the 256-colour palette. */
function styleOf(codes) {
    if (codes === "1") return "font-weight:bold";
    if (codes === "2") return "opacity:.65";
    const indexed = codes.match(/^38;5;(\d+)$/);
    return indexed ? `color:${paletteColour(Number(indexed[1]))}` : "";
}

/* The colour cube of the palette: 16 + 36 red + 6 green + blue, each 0 to 5. */
function paletteColour(index) {
    const level = (step) => (step ? 55 + 40 * step : 0);
    const cube = index - 16;
    return `rgb(${level(Math.floor(cube / 36))},${level(Math.floor(cube / 6) % 6)},${level(cube % 6)})`;
}

function terminalBody(text) {
    const parts = text.trimEnd().split(CODES);
    const spans = parts.map((part, i) => {
        if (i % 2) return "";
        const style = i ? styleOf(parts[i - 1]) : "";
        return style ? `<span style="${style}">${escaped(part)}</span>` : escaped(part);
    });
    return `<pre class="terminal">${spans.join("")}</pre>`;
}

function commentBody(html) {
    return `<div class="comment">${html}</div>`;
}

const STYLE = `
    :root { color-scheme: light dark; --line: #d0d7de; --ground: #ffffff; --ink: #1f2328; --panel: #f6f8fa; }
    @media (prefers-color-scheme: dark) { :root { --line: #3d444d; --ground: #0d1117; --ink: #e6edf3; --panel: #151b23; } }
    body { margin: 0; padding: 14px; background: var(--ground); color: var(--ink); font: 14px/1.5 "DejaVu Sans", "Noto Color Emoji", sans-serif; }
    pre, code { font-family: "DejaVu Sans Mono", monospace; font-size: 12.5px; }
    .terminal { margin: 0; padding: 14px 18px; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; line-height: 1.4; }
    .comment { padding: 4px 18px; border: 1px solid var(--line); border-radius: 8px; }
    table { border-collapse: collapse; display: block; } th, td { border: 1px solid var(--line); padding: 4px 9px; }
    .comment pre, .comment code { background: var(--panel); border-radius: 4px; } .comment pre { padding: 8px; overflow: hidden; }`;

async function textShoot(browser, from, folder, { name, scheme, width, file, make }) {
    const page = await browser.open(join(from, "report.html"), "", {
        viewport: { width, height: 1 }, /* a full page is at least as high as the window */
        deviceScaleFactor: PICTURE_WIDTH / width,
        colorScheme: scheme,
    });
    const body = make(readFileSync(join(from, file), "utf8"));
    await page.setContent(`<!doctype html><meta charset="utf-8"><style>${STYLE}</style><body>${body}`);
    /* The folds at the end of a comment are not shown. */
    const folds = page.locator("details");
    const whole = await page.locator("body").boundingBox();
    const height = (await folds.count()) ? (await folds.first().boundingBox()).y : whole.height;
    await page.screenshot({ path: join(folder, `${name}.png`), clip: { x: 0, y: 0, width, height }, fullPage: true });
    await page.close();
}

async function reportShoot(browser, from, folder, { name, scheme, hash, width, from: first, to }) {
    const page = await browser.open(join(from, "report.html"), hash, {
        viewport: { width, height: 900 },
        deviceScaleFactor: PICTURE_WIDTH / width,
        colorScheme: scheme,
    });
    await chartsDrawn(page);
    /* The remedy is folded. */
    if (hash) await page.locator(".one .suggestion summary").first().click();
    await page.evaluate("scrollTo(0, 0)");
    const top = await page.locator(first).first().boundingBox();
    const end = await page.locator(to).first().boundingBox();
    const clip = { x: 0, y: top.y - ABOVE, width, height: end.y + end.height + ABOVE - top.y };
    await page.screenshot({ path: join(folder, `${name}.png`), clip, fullPage: true });
    if (page.wrong.length) throw new Error(`${name}: ${page.wrong.join("; ")}`);
    await page.close();
}

const [from, folder] = process.argv.slice(2);
const browser = await browserOpen();
try {
    for (const picture of reports) await reportShoot(browser, from, folder, picture);
    for (const picture of texts) await textShoot(browser, from, folder, picture);
} finally {
    await browser.close();
}
