// The cards of the first row: their figures, and that each is a question to which the browser's way back leads.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check, cleanup, equal, json, open, picture, run, serve, settled, steps } from "./browser.mjs";

const trace = join(process.env.SOURCE, "tests/golden/valid/ocamlopt-v1.ctf");

const cardsOf = (page) => page.$$eval("[data-card]", (cards) => cards.map((card) => [card.dataset.card, Number(card.dataset.value)]));
const totalOf = (page) => page.$eval("[data-total]", (total) => Number(total.dataset.total));
const filterOf = (page) => new URL(page.url().replace("#", "?")).searchParams.get("filter") ?? "";

async function choose(page, name) {
    await page.click(`[data-card="${name}"] > button`);
    await settled(page);
}

// Each card in turn: what it asks, what is drawn then, and the way back.
async function checkQuestions(page, place, cards) {
    for (const { card, clause, title, value } of cards.filter((one) => one.card !== "total")) {
        await choose(page, card);
        equal(`${place}: ${card} sets the filter`, filterOf(page), clause);
        equal(`${place}: ... the picture has its figure`, await totalOf(page), value);
        check(`${place}: ... and the title`, (await page.title()).startsWith(title), await page.title());
        equal(`${place}: ... all cards keep theirs`, await cardsOf(page), cards.map((one) => [one.card, one.value]));
        await page.goBack();
        await settled(page);
        equal(`${place}: ... and back`, filterOf(page), "");
    }
}

async function checkPlace(url, place, answer) {
    const page = await open(url);
    await settled(page);
    equal(`${place}: the cards' figures are the command's`, await cardsOf(page), answer.cards.map(({ card, value }) => [card, value]));
    await picture(page, `cards-${place}`);
    check(`${place}: nothing is missing`, !(await page.textContent("#page")).includes("does not hold that"));
    await checkQuestions(page, place, answer.cards);
    const [peak] = answer.cards;
    await page.click('[data-card="peak"] .link');
    await settled(page, "flame");
    await page.waitForSelector(`.pane[data-function="${peak.function}"][aria-busy=false] .pane-source tr.hot`);
    equal(`${place}: its line is one step away`, [new URL(page.url().replace("#", "?")).searchParams.get("function"), filterOf(page)], [peak.function, peak.clause]);
    check(`${place}: nothing goes wrong`, page.problems.length === 0, page.problems.join("\n"));
    return page;
}

await steps(async () => {
    const answer = await json("summary", "--json", trace);
    const server = await serve(trace);
    await checkPlace(server.url, "served", answer);

    const page = await open(`${server.url}?filter=focus%3DTypemod`);
    await settled(page);
    const part = await json("summary", "--json", trace, "focus=Typemod");
    equal("under a filter: of what passes it", await cardsOf(page), part.cards.map(({ card, value }) => [card, value]));
    await page.focus('[data-card="peak"] > button');
    await page.keyboard.press("Enter");
    await settled(page);
    equal("... by keyboard: the filter and the card's clause", filterOf(page), "focus=Typemod live-at=peak");
    await page.keyboard.press("Enter");
    await settled(page);
    equal("... and once more takes the clause back", filterOf(page), "focus=Typemod");

    const folder = mkdtempSync(join(tmpdir(), "heaptap-cards-"));
    cleanup(() => rmSync(folder, { recursive: true }));
    const report = join(folder, "report.html"), profile = join(folder, "profile.pb.gz");
    await run("view", "-o", report, trace);
    await checkPlace(pathToFileURL(report).href, "written", answer);

    await run("pprof", "-o", profile, trace);
    const values = await json("summary", "--json", profile);
    const shown = await open((await serve(profile)).url);
    await settled(shown);
    equal("a profile: what is in use and allocated", await cardsOf(shown), values.cards.map(({ card, value }) => [card, value]));
    equal("... by its types", values.cards.map(({ card }) => card), ["in-use", "total"]);
});
