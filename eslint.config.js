/* The checks of the HTML page's script and of its tests: `npx eslint`. */
import js from "@eslint/js";

const names = (list) => Object.fromEntries(list.split(" ").map((name) => [name, "readonly"]));
const BROWSER =
    "document window location navigator matchMedia getComputedStyle addEventListener setTimeout URL Blob " +
    "ResizeObserver requestAnimationFrame TextEncoder Event console";
const NODE = "process URL console setTimeout";

const rules = {
    complexity: ["error", 24],
    eqeqeq: "error",
    "max-lines": ["error", 400],
    "max-lines-per-function": ["error", 70],
    "no-eval": "error",
    "no-implied-eval": "error",
    "no-new-func": "error",
    "no-shadow": "error",
    "no-var": "error",
    "prefer-const": "error",
    /* Names from files must never be taken for HTML. */
    "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "setHTMLUnsafe"].map((property) => ({
            property,
            message: "text goes in by dom.js",
        })),
    ],
};

export default [
    { ignores: ["build/**", "out/**"] },
    js.configs.recommended,
    { files: ["src/show/page/**/*.js"], languageOptions: { globals: names(BROWSER) }, rules },
    { files: ["**/*.mjs", "eslint.config.js"], languageOptions: { globals: names(NODE) } },
    /* Functions that are handed to the browser. */
    { files: ["tests/html/**/*.mjs"], languageOptions: { globals: names(`${BROWSER} structuredClone performance DataTransfer File DragEvent`) } },
];
