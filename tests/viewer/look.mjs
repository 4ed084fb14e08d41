// Pictures of every view, at three widths, light and dark, to be looked at: first-sight.md says what they have to show.
//   HEAPTAP=build/src/cli/heaptap MODULES=build/tests/node PICTURES=/tmp/pictures SOURCE=. node tests/viewer/look.mjs FILE [ARGUMENTS-OF-VIEW...]
// FILE may also be a written page (.html), or the address of a store that heaptap fleet serve serves.
// VIEWS, WIDTHS and THEMES, lists with commas, take fewer of them; QUERY is added to each address.

import { resolve } from "node:path";
import { fleetShown, open, picture, serve, settled, steps } from "./browser.mjs";

const list = (name, usual) => (process.env[name] || usual).split(",");
const [file, ...more] = process.argv.slice(2);
const isWritten = file.endsWith(".html");
const isStore = file.startsWith("http:");
const views = list("VIEWS", `${isStore ? "store," : ""}flame,top,graph,${isWritten ? "" : "reports,"}interest,holders,tree,sandwich,peek,source,treemap,circles,force,histograms,domains`);

// What comes before a query.
async function address() {
    if (isStore) return `${file}/show/all/?`;
    return isWritten ? `file://${resolve(file)}#` : `${(await serve(file, ...more)).url}?`;
}

async function show(page, url, view, name) {
    if (view === "store") {
        await page.goto(file);
        return fleetShown(page);
    }
    const focus = ["sandwich", "peek", "source"].includes(view) ? `&function=${encodeURIComponent(name)}` : "";
    await page.goto("about:blank"); // else another fragment is the same page
    await page.goto(`${url}view=${view}${focus}${process.env.QUERY ?? ""}`);
    await settled(page, view);
    await page.waitForTimeout(250);
    return page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
}

await steps(async () => {
    const url = await address();
    for (const width of list("WIDTHS", "360,1280,1920").map(Number))
        for (const dark of list("THEMES", "light,dark").map((theme) => theme === "dark")) {
            const page = await open(url, { width, height: width < 500 ? 760 : width > 1500 ? 1080 : 800, dark });
            await settled(page, "flame");
            const name = await page.getAttribute(".pane", "data-function");
            for (const view of views) {
                await show(page, url, view, name);
                await picture(page, `${view}-${width}-${dark ? "dark" : "light"}`);
            }
            if (page.problems.length > 0) console.log(`# ${width}: ${page.problems.join("\n# ")}`);
            await page.context().close();
        }
});
