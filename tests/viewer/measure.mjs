// What the page's main thread does for one act of the user, in milliseconds of its processor: Chromium's own count of its tasks, script,
// style and layout among them; beside it what drawing on the canvas took, and how many shapes the last drawing had.

const frame = (page) => page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));

// A function that measures on this page: `act(i)` is one act, what lies between its events and the second frame after it is counted.
export async function measuring(page) {
    const chromium = await page.context().newCDPSession(page);
    await chromium.send("Performance.enable", { timeDomain: "threadTicks" });
    const metrics = async () => Object.fromEntries((await chromium.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value]));
    return async (act, rounds = 40) => {
        for (let i = 0; i < 6; i++) await act(i), await frame(page);
        await page.evaluate(() => (window.heaptapFrames.milliseconds.length = 0));
        const before = await metrics();
        for (let i = 0; i < rounds; i++) await act(i), await frame(page);
        const after = await metrics();
        const spent = (key) => (1000 * (after[key] - before[key])) / rounds;
        const { milliseconds, shapes } = await page.evaluate(() => window.heaptapFrames);
        return { task: spent("TaskDuration"), script: spent("ScriptDuration"), style: spent("RecalcStyleDuration"), layout: spent("LayoutDuration"), drawing: milliseconds.reduce((sum, one) => sum + one, 0) / rounds, shapes };
    };
}
