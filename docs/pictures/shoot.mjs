/* Takes the pictures of the HTML page: shoot.mjs REPORT.html FOLDER. make.sh calls it. */
import { join } from "node:path";
import { browserOpen, chartsDrawn } from "../../tests/html/support.mjs";

/* hash: the address in the page; width: of the page, in pixels; from, to: what is at the picture's top and bottom.
 * All become 1280 wide: of a narrower page the words are larger, to be read where a README shows it at 800. */
const PICTURE_WIDTH = 1280;
const pictures = [
    { name: "report-light", scheme: "light", hash: "", width: 960, from: "#verdict", to: "#changes .chart svg" },
    { name: "report-dark", scheme: "dark", hash: "", width: 960, from: "#verdict", to: "#changes .chart svg" },
    { name: "case", scheme: "light", hash: "#case=parse/lines=1000/cpu", width: 1100, from: ".one", to: ".one .suggestion > p:nth-of-type(2)" },
];
const ABOVE = 14; /* pixels of ground above what is shown first */

async function shoot(browser, report, folder, { name, scheme, hash, width, from, to }) {
    const page = await browser.open(report, hash, {
        viewport: { width, height: 900 },
        deviceScaleFactor: PICTURE_WIDTH / width,
        colorScheme: scheme,
    });
    await chartsDrawn(page);
    /* What to do is folded. */
    if (hash) await page.locator(".one .suggestion summary").first().click();
    await page.evaluate("scrollTo(0, 0)");
    const first = await page.locator(from).first().boundingBox();
    const last = await page.locator(to).first().boundingBox();
    const clip = { x: 0, y: first.y - ABOVE, width, height: last.y + last.height + ABOVE - first.y };
    await page.screenshot({ path: join(folder, `${name}.png`), clip, fullPage: true });
    if (page.wrong.length) throw new Error(`${name}: ${page.wrong.join("; ")}`);
    await page.close();
}

const [report, folder] = process.argv.slice(2);
const browser = await browserOpen();
try {
    for (const picture of pictures) await shoot(browser, report, folder, picture);
} finally {
    await browser.close();
}
