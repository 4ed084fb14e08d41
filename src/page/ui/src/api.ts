// Answers, from the server; or, in a report, from what was put into the page.

import { inflated } from "./columns";
import { AnswerError, isLeft, refusalOf, refuse } from "./refusals";
import { Stacks, type StacksAnswer } from "./stacks";
import type { About } from "./types";
import { useEffect, useRef, useState } from "preact/hooks";

type Answers = Record<string, unknown>;

// A question without its order and without what only limits the answer: a report has limits of its own.
function essence(url: string): string {
    const { pathname, searchParams } = new URL(url, "http://heaptap");
    const limits = ["nodes", "node-count", "steps"];
    const parts = [...searchParams].filter(([name, value]) => value !== "" && value !== "0" && !limits.includes(name));
    return JSON.stringify([pathname, ...parts.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

const embedded: Answers | null = (() => {
    const element = document.getElementById("answers");
    if (!element) return null;
    const answers = JSON.parse(element.textContent ?? "{}") as Answers;
    return Object.fromEntries(Object.entries(answers).map(([url, answer]) => [essence(url), answer]));
})();

export const isReport = embedded !== null;

function embeddedJson<T>(id: string): T | null {
    const text = document.getElementById(id)?.textContent;
    return text ? (JSON.parse(text) as T) : null;
}

let stacks: Promise<Stacks> | null = null;

// A report's stacks, unpacked when first asked for.
function loadStacks(about: About): Promise<Stacks> {
    return (stacks ??= Stacks.of(embeddedJson<StacksAnswer>("stacks")!, about.files[0].types ?? null));
}

async function askReport(url: string, answers: Answers): Promise<unknown> {
    const key = essence(url);
    const held = answers[key]; // a large one is compressed
    if (held !== undefined) return typeof held === "string" ? JSON.parse(new TextDecoder().decode(await inflated(held))) : held;
    const { pathname, searchParams } = new URL(url, "http://heaptap");
    const whole = await loadStacks(answers[essence("/api/about")] as About);
    const answer = whole.answer(pathname, searchParams);
    if (answer === null) throw new AnswerError("This report does not hold that; heaptap view shows any selection of the file.", undefined, whole.holds(searchParams.get("filter") ?? "") ? undefined : 0);
    return answer;
}

const kept = new Map<string, unknown>(); // the last answers, oldest first
const KEPT_MAX = 24;

function keep(key: string, answer: unknown): void {
    kept.delete(key);
    kept.set(key, answer);
    for (const oldest of kept.keys()) {
        if (kept.size <= KEPT_MAX) break;
        kept.delete(oldest);
    }
}

// A path of the API with a query; parameters that are empty stay out, so that equal questions have
// equal texts.
export function question(path: string, parameters: Record<string, string | number | boolean> = {}): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value === "" || value === false) continue;
        query.set(name, value === true ? "1" : String(value));
    }
    const text = query.toString();
    return text ? `${path}?${text}` : path;
}

export async function ask<T>(url: string, signal?: AbortSignal): Promise<T> {
    if (embedded) return (await askReport(url, embedded)) as T;
    const response = await fetch(url.replace(/^\//, ""), { signal }).catch((failure: Error) => {
        throw signal?.aborted ? failure : new AnswerError("The server does not answer: start it again, and reload this page.");
    });
    const text = await response.text();
    if (!response.ok) {
        let refusal: { error?: string; offset?: number; length?: number } = {};
        try {
            refusal = JSON.parse(text);
        } catch {
            // a plain sentence
        }
        throw new AnswerError(refusal.error ?? text.trim(), refusal.offset, refusal.length);
    }
    return JSON.parse(text) as T;
}

const asking = new Map<string, Promise<never>>(); // what is on its way, so that it is asked once
function askOnce(key: string, url: string): Promise<never> {
    const known = asking.get(key);
    if (known) return known;
    const refusal = refusalOf(url);
    if (refusal) return Promise.reject(refusal);
    const answer = ask<never>(url)
        .catch((error: Error) => {
            if (error instanceof AnswerError && error.isOfFilter) refuse(url, error);
            throw error;
        })
        .finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
}

export interface Asked<T> {
    answer: T | null; // the last one there was, also while the next is on its way; none after one that failed
    url: string; // what it answers
    error: string;
    failure: AnswerError | null;
    waiting: boolean;
}

// The answer to a question (null asks nothing), asked again when it or the generation changes.
// `variant` says what the conversion depends on, beyond the question.
export function useAnswer<T>(url: string | null, generation: number, convert: (raw: never) => T, variant = ""): Asked<T> {
    const [asked, set] = useState<Asked<T>>({ answer: null, url: "", error: "", failure: null, waiting: url !== null });
    const last = useRef(asked);
    last.current = asked;
    useEffect(() => {
        if (url === null) {
            if (last.current.waiting) set({ ...last.current, waiting: false });
            return;
        }
        const key = `${generation} ${variant} ${url}`;
        if (kept.has(key)) {
            const answer = kept.get(key) as T;
            keep(key, answer);
            set({ answer, url, error: "", failure: null, waiting: false });
            return;
        }
        let over = false;
        set({ ...last.current, waiting: true, error: "", failure: null });
        askOnce(`${generation} ${url}`, url).then(
            (raw) => {
                if (over) return;
                const answer = convert(raw);
                keep(key, answer);
                set({ answer, url, error: "", failure: null, waiting: false });
            },
            (error: Error) => {
                if (!over && !isLeft(url))
                    set({ answer: null, url, error: error.message, failure: error instanceof AnswerError ? error : new AnswerError(error.message), waiting: false });
            },
        );
        return () => void (over = true);
    }, [url, generation, variant]);
    return asked;
}
