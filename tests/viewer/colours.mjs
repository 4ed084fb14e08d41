// The colours of functions (ui/src/theme.ts) can be told apart by people who see colours as most do, and by those who don't: as far apart
// as two colours of a page that are seen side by side; and text can be read on each.  They and the commands' pictures are the same.

import { readFileSync } from "node:fs";
import { check, end } from "../helpers/tap.mjs";

const read = (path) => readFileSync(`${process.env.SOURCE}/${path}`, "utf8");
const APART = 15; // of CIELAB; 2.3 is what can just be seen
const CONTRAST = 4.5; // of WCAG AA

// Machado, Oliveira and Fernandes 2009, for the severest form of each.
const sights = {
    usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const linear = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
const luminance = (hex) => linear(hex).reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);

function lab(hex, sight) {
    const rgb = sight.map((row) => Math.min(1, Math.max(0, row.reduce((sum, factor, i) => sum + factor * linear(hex)[i], 0))));
    const f = (part) => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116);
    const [x, y, z] = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]].map((row, i) => f(row.reduce((sum, factor, at) => sum + factor * rgb[at], 0) / [0.95047, 1, 1.08883][i]));
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const themes = read("src/page/ui/src/theme.ts");
for (const name of ["light", "dark"]) {
    const theme = new RegExp(`const ${name}: Theme = \\{[^}]*\\}`).exec(themes)[0];
    const list = (key) => JSON.parse(new RegExp(`${key}: (\\[[^\\]]*\\])`).exec(theme)[1]);
    const one = (key) => new RegExp(`${key}: "(#[0-9a-f]{6})"`).exec(theme)[1];
    const ranks = list("ranks");
    for (const [sight, matrix] of Object.entries(sights)) {
        const places = [...ranks, one("library"), list("own")[0], one("background")].map((hex) => [hex, lab(hex, matrix)]);
        const pairs = ranks.flatMap((hex, i) => places.slice(i + 1).map(([other, place]) => [Math.hypot(...place.map((part, at) => part - places[i][1][at])), hex, other]));
        const [nearest] = pairs.sort((a, b) => a[0] - b[0]);
        check(`${name}, ${sight}: the nearest two of functions' colours, of others and of libraries are apart`, nearest[0] >= APART, nearest);
    }
    const styles = read("src/answer/flamegraph.css").split("@media")[name === "light" ? 0 : 1];
    const classes = [...styles.matchAll(/\.c(\d+) rect \{ fill: (#[0-9a-f]{6})/g)].map((match) => match[2]);
    check(`${name}: flame graphs of the command have the same`, classes.join() === ranks.join(), classes);
    const least = Math.min(...[...ranks, ...list("own"), one("library")].map((hex) => contrast(hex, one("label"))));
    check(`${name}: text can be read on each`, least >= CONTRAST, least);
}
end();
