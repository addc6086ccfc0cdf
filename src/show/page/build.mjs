/* Makes the page's template, one HTML file, of index.html, the modules from main.js on and style.css.
 * usage: node build.mjs OUTPUT */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const packages = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

/* Comments that the licenses of what is bundled ask for. */
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
        define: { "process.env.NODE_ENV": '"production"' },
        format: "iife",
        legalComments: "none",
        minify: true,
        target: ["es2020"],
        write: false,
    });
    return result.outputFiles[0].text.trim();
}

const script = await bundle("main.js", { js: await licenses() });
/* The script sets the theme. Until it does, or where it does not run, the system's choice counts. */
function withSystemTheme(style) {
    const [, dark] = /:root\[data-theme="?dark"?\]\{([^}]*)\}/.exec(style);
    return `${style}@media screen and (prefers-color-scheme:dark){:root:not([data-theme]){${dark}}}`;
}

const style = withSystemTheme(await bundle("style.css"));
const parts = {
    style: style,
    script: script,
    /* No other script can run in the page, whatever a name in a file looks like. */
    "script-hash": `sha256-${createHash("sha256").update(script).digest("base64")}`,
};
const page = (await readFile(`${here}index.html`, "utf8")).replace(
    /\{\{([a-z-]+)\}\}/g,
    (_, name) => parts[name],
);
if (/<\/script/i.test(script) || /<\/style/i.test(style)) throw new Error("it would end its own element");
await writeFile(process.argv[2], page);
