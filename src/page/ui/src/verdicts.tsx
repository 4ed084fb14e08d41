// Which differences between two recordings are more than the chance of sampling: the verdicts of heaptap compare --long, by function.

import { useAnswer } from "./api";
import { value } from "./format";
import { reportQuestion } from "./report-answer";
import type { State } from "./state";
import type { Shown } from "./types";

export type Doubt = "chance" | "small"; // what a change may be but for a true one that matters

interface DiffAnswer {
    unit: string;
    count: number;
    smallest?: number; // these three where chances are known
    false_alarm_rate?: number;
    base_low?: number; // of a base that is sampled
    new_low?: number;
    rows: { name: string; function: string | null; file: string | null; line?: number; verdict?: string }[];
}

export interface Verdicts {
    doubts: Map<string, Doubt>;
    answer: DiffAnswer;
}

// A function without a name goes by what tables call it, its module.
function keyOf(name: string, file: string | null | undefined, line: number | undefined): string {
    return `${line || ""} ${file ?? ""}\n${name}`;
}

export function doubtOf(verdicts: Verdicts | null, name: string, file?: string | null, line?: number): Doubt | undefined {
    return verdicts?.doubts.get(keyOf(name, file, line));
}

// Of exact recordings each difference is true, so there is nothing to doubt.
function isSampled(answer: DiffAnswer): boolean {
    return answer.base_low !== undefined || answer.new_low !== undefined;
}

function verdictsOf(answer: DiffAnswer): Verdicts {
    const doubts = new Map<string, Doubt>();
    if (isSampled(answer))
        for (const { name, function: of, file, line, verdict } of answer.rows) if (verdict === "chance" || verdict === "small") doubts.set(keyOf(of || name, file, line), verdict);
    return { doubts, answer };
}

// What the page shows has libraries in it, unless its filter says otherwise.
function withLibraries(filter: string): string {
    return /(^|\s)libraries=/.test(filter) ? filter : `${filter} libraries=show`.trim();
}

// Asked once the view has its own answer, which is seen first.  Null where there is nothing to compare with, or not yet.
export function useVerdicts(about: Shown, state: State, isReady: boolean, grain = state.grain): Verdicts | null {
    const asks = isReady && about.base?.kind === "trace" && about.kind === "trace";
    const url = reportQuestion(about, { ...state, filter: withLibraries(state.filter) }, "diff", { top: 0, columns: "name,function,file,line,verdict" }, grain);
    const asked = useAnswer(asks ? url : null, about.generation, (raw: never) => verdictsOf(raw as DiffAnswer));
    return asks && asked.url === url ? asked.answer : null;
}

// How many differences are certain, and how certain that is.
export function VerdictLine({ verdicts }: { verdicts: Verdicts | null }) {
    if (!verdicts || verdicts.answer.false_alarm_rate === undefined) return null;
    const { rows, count, smallest = 0, false_alarm_rate: rate, unit } = verdicts.answer;
    const number = (...wanted: string[]) => rows.filter(({ verdict }) => wanted.includes(verdict ?? "")).length;
    if (!isSampled(verdicts.answer)) return <p class="quiet" id="verdicts">Both recordings are exact: so are their differences.</p>;
    const [certain, chance, small] = [number("larger", "smaller"), number("chance"), number("small")];
    return (
        <p class="quiet" id="verdicts" data-certain={certain} data-chance={chance} data-small={small}>
            {certain} of {count} differences are certain: the probability that any of these is chance is {100 * rate} % at most.
            {chance > 0 && <> {chance} may be the chance of sampling.</>}
            {small > 0 && <> {small} are small: less than {value(Math.ceil(smallest), unit)} through the function.</>}
        </p>
    );
}
