// Colours, in both themes.  Pictures take theirs from here, the rest from page.css.

import { useEffect, useState } from "preact/hooks";
import type { Tree } from "./tree";

export interface Theme {
    name: "light" | "dark";
    background: string;
    surface: string;
    text: string;
    quiet: string;
    line: string;
    label: string; // text on what is filled
    accent: string;
    match: string; // what a search has found
    ranks: string[]; // of the heaviest functions of one's own, by rank (colours.ts)
    own: string[]; // of others of one's own
    library: string;
    unknown: string;
    band: string; // of bounds, over what is drawn
}

const light: Theme = {
    name: "light",
    background: "#ffffff",
    surface: "#f6f4f1",
    text: "#1d1b18",
    quiet: "#5f5a52",
    line: "#d5cfc5",
    label: "#1d1b18",
    accent: "#a4430f",
    match: "#7a1fd1",
    ranks: ["#6cceef", "#e77423", "#9575bd", "#f1cb7e", "#509ea5", "#c747eb", "#af855a"],
    own: ["#efe6d6", "#e6dac5", "#f4eee2"],
    library: "#dcdddf",
    unknown: "#dcd8d1",
    band: "rgba(29,27,24,0.16)",
};

const dark: Theme = {
    name: "dark",
    background: "#171615",
    surface: "#211f1d",
    text: "#ece8e1",
    quiet: "#a9a297",
    line: "#403c37",
    label: "#ffffff",
    accent: "#ff9d5c",
    match: "#c18bff",
    ranks: ["#266c73", "#ab602b", "#8667ad", "#7e6144", "#27279b", "#a643d0", "#622673"],
    own: ["#3a342b", "#433c31", "#332e27"],
    library: "#2b2c2e",
    unknown: "#3a3733",
    band: "rgba(244,241,236,0.2)",
};

export type ThemeChoice = "system" | "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");
export const paper = matchMedia("print"); // is white

function chosen(choice: ThemeChoice): Theme {
    if (paper.matches) return light;
    return choice === "dark" || (choice === "system" && system.matches) ? dark : light;
}

function remembered(): ThemeChoice {
    try {
        const choice = localStorage.getItem("heaptap-theme");
        return choice === "light" || choice === "dark" ? choice : "system";
    } catch {
        return "system";
    }
}

export function useTheme(): [Theme, ThemeChoice, (choice: ThemeChoice) => void] {
    const [choice, set] = useState<ThemeChoice>(remembered);
    const [, again] = useState(0);
    useEffect(() => {
        const changed = () => again((n) => n + 1);
        const queries = [system, paper];
        for (const query of queries) query.addEventListener("change", changed);
        return () => queries.forEach((query) => query.removeEventListener("change", changed));
    }, []);
    useEffect(() => {
        document.documentElement.dataset.theme = chosen(choice).name;
        try {
            localStorage.setItem("heaptap-theme", choice);
        } catch {
            // a page of a file may not keep anything
        }
    }, [choice, system.matches, paper.matches]);
    return [chosen(choice), choice, set];
}

export function hash(text: string): number {
    let value = 2166136261;
    for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
    return value >>> 0;
}

// From a base to a new amount: green where it shrank, red where it grew, the stronger the larger the
// change is against the larger of both.
export function changeFill(theme: Theme, before: number, after: number): string {
    const most = Math.max(Math.abs(before), Math.abs(after));
    const change = most > 0 ? (after - before) / most : 0;
    const strength = Math.round(Math.pow(Math.abs(change), 0.6) * 8) / 8;
    if (strength === 0) return theme.unknown;
    const hue = change > 0 ? 4 : 140;
    return theme.name === "light"
        ? `hsl(${hue} ${(change > 0 ? 30 : 20) + (change > 0 ? 45 : 26) * strength}% ${90 - (change > 0 ? 24 : 26) * strength}%)`
        : `hsl(${hue} ${15 + 45 * strength}% ${22 + 18 * strength}%)`;
}

// The same of a node of a tree; a change that may be none has no colour.
export function nodeFill(theme: Theme, tree: Tree, node: number, before: number): string {
    return tree.doubt(node) ? theme.unknown : changeFill(theme, before, tree.total[node]);
}

// The same for lines, which have to stand out from the background.
export function changeStroke(theme: Theme, before: number, after: number): string {
    const grew = after > before;
    return theme.name === "light" ? (grew ? "#b3261e" : "#1c6b33") : grew ? "#ff8f86" : "#7fd694";
}
