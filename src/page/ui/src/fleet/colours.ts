// Colours of rows: told apart by people who see colours differently, too (after Okabe and Ito), dark enough for lines.

import type { Theme } from "../theme";

const light = ["#0072b2", "#d55e00", "#00795a", "#b3468a", "#8a6d00", "#3c8fc4", "#5b5b5b", "#7b3fb5"];
const dark = ["#56b4e9", "#ff8a3c", "#2fc79c", "#e58cc0", "#e6c229", "#8fd0ff", "#c4c4c4", "#b795e6"];

export const COLOURED = light.length; // rows that have a colour and a line of their own

// By the row's place among those that have one: the heaviest.
export function colourOf(theme: Theme, at: number): string {
    return at < COLOURED ? (theme.name === "dark" ? dark : light)[at] : theme.quiet;
}
