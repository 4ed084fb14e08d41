// Filters that are refused: nothing more is asked of them, they are told once, and the page shows what it showed before.

import { useEffect, useReducer, useRef } from "preact/hooks";

// What the server refuses, and where in the filter it is wrong: in bytes of UTF-8.
export class AnswerError extends Error {
    constructor(message: string, readonly offset?: number, readonly length?: number) {
        super(message);
    }
    get isOfFilter(): boolean {
        return this.length !== undefined;
    }
}

interface Selection {
    file: string; // its number, as in questions; "" for the first
    filter: string;
}

const refused: (Selection & { error: AnswerError })[] = [];
const listeners = new Set<() => void>();
let wanted: Selection | null = null; // what the address says; null where the page has no filter

function selectionOf(url: string): Selection {
    const { searchParams } = new URL(url, "http://heaptap");
    return { file: searchParams.get("file") ?? "", filter: searchParams.get("filter") ?? "" };
}

// A wrong filter is so with more clauses, too, unless these close a quote.
function isWithin(whole: Selection, part: Selection): boolean {
    return whole.file === part.file && (whole.filter === part.filter || (whole.filter.startsWith(`${part.filter} `) && !/["']/.test(part.filter)));
}

function refusal(of: Selection): AnswerError | undefined {
    return refused.find((one) => isWithin(of, one))?.error;
}

export function refusalOf(url: string): AnswerError | undefined {
    return refusal(selectionOf(url));
}

// Whether the page goes back to another filter, so that what was asked of this one needs no answer.
export function isLeft(url: string): boolean {
    return wanted !== null && isWithin(selectionOf(url), wanted) && refusal(wanted) !== undefined;
}

// A question may have clauses of its own after the page's, which are right.
export function refuse(url: string, error: AnswerError): void {
    const of = selectionOf(url);
    const isOfPage = wanted !== null && wanted.filter !== "" && isWithin(of, wanted) && (error.offset ?? 0) < new TextEncoder().encode(wanted.filter).length;
    refused.push({ ...(isOfPage ? wanted! : of), error });
    for (const tell of listeners) tell();
}

// The filter that is shown: the one that is wanted; or, while that is refused, the last that was not, and why.
export function useAccepted(file: number, filter: string): [string, AnswerError | null] {
    const [, renew] = useReducer((count: number) => count + 1, 0);
    const accepted = useRef<string[]>([]); // the last one at the end
    useEffect(() => {
        const tell = () => renew(undefined as never);
        listeners.add(tell);
        return () => void listeners.delete(tell);
    }, []);
    const of = (text: string) => ({ file: file ? String(file) : "", filter: text });
    wanted = of(filter);
    const error = refusal(wanted) ?? null;
    const right = accepted.current.filter((text) => text !== filter && !refusal(of(text)));
    accepted.current = error ? right : [...right, filter];
    return [accepted.current[accepted.current.length - 1] ?? "", error];
}
