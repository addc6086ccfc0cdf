/* Light and dark theme. The system decides until the reader chooses. Paper is always light. */

const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = [];
let chosen;

const current = () => chosen ?? (dark.matches ? "dark" : "light");

function apply(name = current(), paper = false) {
    document.documentElement.dataset.theme = name;
    document.documentElement.toggleAttribute("data-paper", paper); /* as wide as a sheet: style/print.css */
    document.getElementById("theme").textContent = current() === "dark" ? "Light" : "Dark";
    for (const listener of listeners) listener();
}

export function themeStart() {
    document.getElementById("theme").addEventListener("click", () => {
        chosen = current() === "dark" ? "light" : "dark";
        apply();
    });
    dark.addEventListener("change", () => apply());
    addEventListener("beforeprint", () => apply("light", true));
    addEventListener("afterprint", () => apply());
    apply();
}

/* Registers a function that the page calls after each change of colours or paper. */
export const onTheme = (listener) => listeners.push(listener);

export const onPaper = () => document.documentElement.hasAttribute("data-paper");

/* The colours of style/colours.css, by name. */
export function colours() {
    const style = getComputedStyle(document.documentElement);
    return new Proxy({}, { get: (_, name) => style.getPropertyValue(`--${name}`).trim() });
}
