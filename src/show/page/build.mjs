/* Makes the page's template, one HTML file, from index.html, style.css, main.js and its modules.
 * usage: node build.mjs OUTPUT */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const packages = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

const CHANGE = "count later rank sign word colour waivable symbol done exit passes listed ink point meaning".split(" ");

/* Reads the rows of a macro in src/model/changes.def (KG_CHANGE, KG_VERDICT or KG_WAIVER).
 * members  names for the values after the row's name */
async function rowsOf(macro, members) {
    const rows = (await readFile(`${here}../../model/changes.def`, "utf8")).matchAll(new RegExp(`^KG_${macro}\\((.*?)\\)$`, "gms"));
    return [...rows].map(([, row]) => {
        const [name, ...values] = row.replace(/"\s+"/g, "").match(/"[^"]*"|\w+|#\w+/g);
        return [name, Object.fromEntries(members.map((member, i) => [member, values[i].replaceAll('"', "")]))];
    });
}

/* The page's words for changes (worst first), verdicts and waivers; for verdicts.js. */
async function words() {
    const changes = (await rowsOf("CHANGE", CHANGE))
        .sort(([, a], [, b]) => a.rank - b.rank)
        .map(([name, { sign, word, colour, waivable, meaning }]) => [name, { sign, word, colour: colour.toLowerCase(), waivable: waivable === "true", meaning }]);
    const verdicts = (await rowsOf("VERDICT", ["sign"])).map(([name, { sign }]) => [name, sign]);
    const waivers = (await rowsOf("WAIVER", ["name", "word"])).slice(1).map(([, { name, word }]) => [name, word]);
    const [CHANGES, SIGNS, WAIVERS] = [changes, verdicts, waivers].map((rows) => JSON.stringify(Object.fromEntries(rows)));
    return { CHANGES, SIGNS, WAIVERS };
}

/* The comment that the licenses of the bundled packages require. */
async function licenses() {
    const texts = ["echarts/NOTICE", "echarts/LICENSE", "zrender/LICENSE"].map((name) =>
        readFile(packages + name, "utf8"),
    );
    return `/*!\n${(await Promise.all(texts)).join("\n\n").replaceAll("*/", "* /")}*/\n`;
}

async function bundle(entry, banner) {
    const result = await build({
        entryPoints: [here + entry],
        banner,
        bundle: true,
        charset: "utf8",
        define: { "process.env.NODE_ENV": '"production"', ...(await words()) },
        format: "iife",
        legalComments: "none",
        minify: true,
        target: ["es2020"],
        write: false,
    });
    return result.outputFiles[0].text.trim();
}

const script = await bundle("main.js", { js: await licenses() });
/* Adds the system's dark theme, for pages without a script and until the script sets a theme. */
function withSystemTheme(style) {
    const [, dark] = /:root\[data-theme="?dark"?\]\{([^}]*)\}/.exec(style);
    return `${style}@media screen and (prefers-color-scheme:dark){:root:not([data-theme]){${dark}}}`;
}

const style = withSystemTheme(await bundle("style.css"));
const parts = {
    style: style,
    script: script,
    /* The page's policy allows only this script, so no name in a file can run code. */
    "script-hash": `sha256-${createHash("sha256").update(script).digest("base64")}`,
};
const page = (await readFile(`${here}index.html`, "utf8")).replace(
    /\{\{([a-z-]+)\}\}/g,
    (_, name) => parts[name],
);
if (/<\/script/i.test(script) || /<\/style/i.test(style)) throw new Error("it would end its own element");
await writeFile(process.argv[2], page);
