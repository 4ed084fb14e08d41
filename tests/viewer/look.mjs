// Pictures of every view, at three widths, light and dark, to be looked at: first-sight.md says what they have to show.
//   HEAPTAP=build/src/cli/heaptap MODULES=build/tests/node PICTURES=/tmp/pictures SOURCE=. node tests/viewer/look.mjs FILE [ARGUMENTS-OF-VIEW...]
// VIEWS and WIDTHS, lists with commas, take fewer of them.

import { open, picture, serve, settled, steps } from "./browser.mjs";

const list = (name, usual) => (process.env[name] || usual).split(",");
const views = list("VIEWS", "flame,top,graph,reports,interest,tree,sandwich,peek,source,treemap,circles,force,histograms,domains");

await steps(async () => {
    const server = await serve(...process.argv.slice(2));
    for (const width of list("WIDTHS", "360,1280,1920").map(Number))
        for (const dark of [false, true]) {
            const page = await open(server.url, { width, height: width < 500 ? 760 : width > 1500 ? 1080 : 800, dark });
            await settled(page, "flame");
            const name = await page.getAttribute(".pane", "data-function");
            for (const view of views) {
                await page.goto(`${server.url}?view=${view}${["sandwich", "peek", "source"].includes(view) ? `&function=${encodeURIComponent(name)}` : ""}${process.env.QUERY ?? ""}`);
                await settled(page, view);
                await page.waitForTimeout(250);
                await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
                await picture(page, `${view}-${width}-${dark ? "dark" : "light"}`);
            }
            if (page.problems.length > 0) console.log(`# ${width}: ${page.problems.join("\n# ")}`);
        }
});
