// The filter language as the page helps with it: its words, what they take, and forms for each.

import { escaped } from "./report-answer";

export interface Word {
    word: string;
    takes: string; // "TIME"
    help: string;
    values: string[]; // that it is often given
    times: boolean; // only a trace has what it asks for
    blocks: boolean; // it chooses single blocks, whatever their stacks are
    frames: boolean; // its value is a function, file or module
}

let words: Word[] = [];

// The program has the list; the page gets it with what it is about.
export function learn(list: Word[]) {
    words = list;
}

export function allWords(): string {
    return words.map(({ word }) => word).join(", ");
}

export interface Suggestion {
    text: string; // what is put in
    note: string;
    from: number; // in place of the text from here to the caret
}

// What could stand at the caret.
export function suggest(text: string, caret: number, functions: readonly string[], isTrace: boolean): Suggestion[] {
    const from = text.lastIndexOf(" ", caret - 1) + 1;
    const part = text.slice(from, caret);
    const value = /^([a-z-]+)(?::[a-z]+)?(!=|<=|>=|=|<|>)(.*)$/.exec(part);
    if (!value)
        return words
            .filter(({ word, times }) => word.startsWith(part) && (isTrace || !times))
            .map(({ word, takes, help }) => ({ text: word + "=", note: `${help.replace(/\s+/g, " ")}: ${takes}`, from }));
    const [, word, , typed] = value;
    const begin = caret - typed.length;
    const known = words.find((one) => one.word === word);
    const list = (known?.values ?? []).filter((one) => one.startsWith(typed)).map((one) => ({ text: one + " ", note: "", from: begin }));
    if (!known?.frames) return list;
    const wanted = typed.toLowerCase();
    return functions
        .filter((name) => name.toLowerCase().includes(wanted))
        .slice(0, 12)
        .map((name) => ({ text: quoted(name) + " ", note: "", from: begin }));
}

// A text as a regex that matches it, in quotes where it needs them.
export function quoted(text: string, anchored = false): string {
    const plain = escaped(text);
    const regex = anchored ? `^${plain}$` : plain;
    return /[\s,'"]/.test(regex) ? (regex.includes('"') ? `'${regex}'` : `"${regex}"`) : regex;
}

// The clauses of a filter, each as it is typed; spaces in quotes part none.
export function clausesOf(filter: string): string[] {
    return filter.match(/(?:"[^"]*"?|'[^']*'?|[^\s"'])+/g) ?? [];
}

export function withClause(filter: string, clause: string): string {
    return [filter.trim(), clause].filter((text) => text).join(" ");
}

// What a clause does, in the words of `heaptap help filters`; "" where it is none.
export function helpOf(clause: string): string {
    const word = /^[a-z-]+/.exec(clause)?.[0];
    return words.find((one) => one.word === word)?.help.replace(/\s+/g, " ") ?? "";
}

// Whether a clause chooses among the blocks of a stack.
export function isOfBlocks(clause: string): boolean {
    const word = /^[a-z-]+/.exec(clause)?.[0];
    return words.some((one) => one.word === word && one.blocks);
}

// ---- Forms: each clause of memtrace_viewer's, and what heaptap has besides --------------------

export interface Form {
    label: string;
    options: { label: string; fields: string[]; clause: (...values: string[]) => string }[]; // fields: their hints
    times?: boolean;
}

const bounds = (word: string, hint: string): Form["options"] => [
    { label: "at most", fields: [hint], clause: (most) => `${word}<=${most}` },
    { label: "at least", fields: [hint], clause: (least) => `${word}>=${least}` },
    { label: "between", fields: [hint, hint], clause: (least, most) => `${word}=${least}..${most}` },
];

const names = (word: string): Form["options"] => [
    { label: "contains", fields: ["text"], clause: (text) => `${word}:function=${quoted(text)}` },
    { label: "is", fields: ["function"], clause: (text) => `${word}:function=${quoted(text, true)}` },
    { label: "matches", fields: ["regex"], clause: (text) => `${word}=${/\s/.test(text) ? `"${text}"` : text}` },
];

export const forms: Form[] = [
    { label: "Allocated", options: bounds("allocated", "1.5s").map((option) => ({ ...option, label: { "at most": "before", "at least": "after" }[option.label] ?? option.label })), times: true },
    {
        label: "Alive",
        options: [
            { label: "at the peak", fields: [], clause: () => "live-at=peak" },
            { label: "at the end", fields: [], clause: () => "live-at=end" },
            { label: "at", fields: ["1.5s"], clause: (time) => `live-at=${time}` },
            { label: "at some time between", fields: ["1s", "2s"], clause: (from, to) => `live-at=${from}..${to}` },
        ],
        times: true,
    },
    {
        label: "Collected",
        options: [
            { label: "never", fields: [], clause: () => "collected=never" },
            { label: "at some time", fields: [], clause: () => "collected!=never" },
            ...bounds("collected", "1.5s").map((option) => ({ ...option, label: { "at most": "before", "at least": "after" }[option.label] ?? option.label })),
        ],
        times: true,
    },
    { label: "Size", options: bounds("size", "1k"), times: true },
    { label: "Lifetime", options: bounds("lifetime", "10ms"), times: true },
    {
        label: "On the heap",
        options: ["minor", "major", "external"].flatMap((heap) => [
            { label: heap, fields: [], clause: () => `source=${heap}` },
            { label: `not ${heap}`, fields: [], clause: () => `source!=${heap}` },
        ]),
        times: true,
    },
    {
        label: "Promoted",
        options: [
            { label: "ever", fields: [], clause: () => "promoted!=never" },
            { label: "never", fields: [], clause: () => "promoted=never" },
        ],
        times: true,
    },
    { label: "Inside a call to", options: names("focus") },
    { label: "Not inside a call to", options: names("ignore") },
    { label: "Hide functions", options: names("hide") },
    { label: "Begin at", options: names("show-from") },
    { label: "Domain", options: [{ label: "is", fields: ["0"], clause: (number) => `domain=${number}` }], times: true },
];

export interface Preset {
    name: string;
    filter: string;
    note: string;
}

// Where a selection of interest is one click away; a duration is in proportion to the trace's.
export function presets(durationUs: number | undefined, promotes: boolean | undefined): Preset[] {
    const short = durationUs ? Math.min(Math.floor(durationUs / 100), 1e6) : 0;
    return [
        { name: "everything", filter: "", note: "no filter" },
        { name: "live at peak", filter: "live-at=peak", note: "what was alive when most was" },
        { name: "leaked", filter: "collected=never", note: "what was never freed" },
        { name: "short-lived", filter: `collected!=never lifetime<=${short}us`, note: "gone within a hundredth of the run, a second at most" },
        ...(promotes ? [{ name: "promoted", filter: "promoted!=never", note: "what left the minor heap" }] : []),
    ];
}
