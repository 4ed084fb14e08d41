// The first row: the questions that everybody asks, each a card with its figure, its curve, and the line of the user's own code that
// has most of it.  A card is a question: to choose it sets the filter and what is counted, and to choose it again takes that back.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { question, useAnswer } from "./api";
import { withClause } from "./clauses";
import { between, bytes, percent, placeOf, value } from "./format";
import { siteKey } from "./holders";
import { typeOf } from "./report-answer";
import type { Navigate, State } from "./state";
import type { Shown } from "./types";
import { withPane } from "./view";

export interface Card {
    card: string;
    title: string;
    clause: string;
    sample_type: string;
    value: number;
    value_low?: number;
    value_high?: number;
    share: number | null;
    function: string | null;
    file: string | null;
    line?: number;
    caller: string | null;
    grows?: string; // of what is left: the line that leaks or grows fastest
    kept_by?: string; // what holds most of what is left
    kept_share?: number; // the part of it that is held so
    kept_function?: string; // the line that the way leads to
    kept_file?: string;
    kept_line?: number;
}

interface Advice {
    rule: string;
    title: string;
    function: string | null;
    file: string | null;
    line?: number;
    saved?: number | null;
    saved_is?: string;
    remedy: string;
}

export interface Summary {
    remark?: string; // why the filter leaves nothing, or what in it reaches beyond the run
    unit: string;
    cards: Card[];
    over_time?: { live_bytes: number[]; allocated_bytes: number[] };
    advice?: Advice[];
}

// The place whose blocks are held in the way that the card tells; where it isn't known, the card's own.
function keptAt(card: Card): Pick<Card, "function" | "file" | "line"> {
    return card.kept_function ? { function: card.kept_function, file: card.kept_file ?? null, line: card.kept_line } : card;
}

// What the filter has besides the clauses that cards add.
function withoutCards(filter: string, cards: Card[]): string {
    const clauses = cards.map((card) => card.clause).filter((clause) => clause !== "");
    return clauses.reduce((text, clause) => ` ${text} `.replace(` ${clause} `, " ").trim(), filter);
}

// What the state is when a card is chosen.
function chosenBy(card: Card, about: Shown, filter: string): Partial<State> {
    const counted: Partial<State> = about.types
        ? { type: about.types.findIndex((type) => type.type === card.sample_type) }
        : { quantity: card.sample_type.startsWith("inuse") ? "live" : "allocated", weight: "bytes" };
    return { filter: withClause(filter, card.clause), ...counted };
}

function isChosen(card: Card, about: Shown, state: State, filter: string): boolean {
    const now: State = about.types ? { ...state, type: typeOf(about, state) } : state;
    return Object.entries(chosenBy(card, about, filter)).every(([key, wanted]) => now[key as keyof State] === wanted);
}

// A trace begins with nothing; what goes on all the time is drawn in `steps`.
export function Curve({ values, steps }: { values: number[]; steps?: boolean }) {
    const most = Math.max(...values, 1);
    const at = (i: number, amount: number) => `${(i / values.length) * 100},${30 - (28 * amount) / most}`;
    const points = values.map((amount, i) => (steps ? `${at(i, amount)} ` : "") + at(i + 1, amount)).join(" ");
    return (
        <svg class="card-curve" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
            <polygon points={`0,30 ${points} 100,30`} />
        </svg>
    );
}

// The rules that tell of figures alone, by the card that has this figure; the others have a cause, and a remedy for all of them.
const figures: Record<string, string> = { dominant: "total", peak: "peak", "short-lived": "churn", growing: "left" };

function helps(advice: Advice[] | undefined, card: Card): Advice | undefined {
    return advice?.find((point) => point.function === card.function && point.file === card.file && point.line === card.line && (figures[point.rule] ?? card.card) === card.card);
}

// What a card shows, of a file or of a store.
export interface CardProps {
    card: Omit<Card, "clause" | "sample_type" | "caller">;
    unit: string;
    sign?: boolean; // more is told by a +
    curve?: number[];
    steps?: boolean; // how it is drawn
    said?: string; // below its line, ...
    remedy?: string; // ... and all of that
    chosen: boolean;
    choose: () => void;
    open: (() => void) | string; // what its line does, or where it leads
    openHolders?: () => void;
}

function Line({ open, title, children }: { open: CardProps["open"]; title: string; children: ComponentChildren }) {
    return typeof open === "string"
        ? <a class="link" href={open} title={title}>{children}</a>
        : <button type="button" class="link" onClick={open} title={title}>{children}</button>;
}

export function OneCard({ card, unit, sign, curve, steps, said, remedy, chosen, choose, open, openHolders }: CardProps) {
    const bounds = card.value_low !== undefined && card.value_high !== undefined && between(card.value, card.value_low, card.value_high, unit);
    return (
        <section class="card" data-card={card.card} data-value={card.value} aria-label={card.title}>
            <button type="button" aria-pressed={chosen} onClick={choose} title={`Look at what is ${card.title.toLowerCase()}`}>
                <span class="card-title">{card.title}</span>
                <span class="card-value">{sign && card.value > 0 ? "+" : ""}{value(card.value, unit)}</span>
                {curve && <Curve values={curve} steps={steps} />}
                {bounds && <span class="card-bounds quiet">{bounds}</span>}
            </button>
            {card.function && card.share !== null && (
                <p class="card-line">
                    <Line open={open} title={`${card.function} ${card.file ?? ""}`}>
                        <b>{percent(card.share, 1)}</b> <span class="card-name">{card.function}</span> <span class="quiet mono">{placeOf(card)}</span>
                    </Line>
                </p>
            )}
            {said && <p class="card-line quiet" title={remedy}>{said}</p>}
            {card.grows && <p class="card-line grows" title={card.grows}>{card.grows.replace(`${card.function} (${card.file}:${card.line}) `, "")}</p>}
            {card.kept_by && (
                <p class="card-line kept-by">
                    <button type="button" class="link" onClick={openHolders} title={`${card.kept_by}: show what holds it`}>
                        <b>{percent(card.kept_share ?? 0, 1)}</b> <span class="quiet">kept by</span>{" "}
                        <span class="card-name">{card.kept_by.startsWith("nothing ->") ? "nothing: it is lost" : card.kept_by}</span>
                    </button>
                </p>
            )}
        </section>
    );
}

function saidOf(advice: Advice | undefined, card: Card): string | undefined {
    if (advice && !(advice.rule === "growing" && card.grows)) return `${advice.title}${advice.saved ? `: saves ${advice.saved_is} ${bytes(advice.saved)}` : ""}`;
    return card.caller ? `called by ${card.caller}` : undefined;
}

// Against a base there is a card of what changed.
export function summaryQuestion(about: Shown, state: State, filter: string): string {
    return question("/api/answer", { report: "summary", file: state.file || "", filter, base: !!about.base });
}

export function Cards({ about, state, navigate }: { about: Shown; state: State; navigate: Navigate }) {
    const convert = (raw: never) => raw as Summary;
    const all = useAnswer(summaryQuestion(about, state, ""), about.generation, convert, "cards");
    // Of what the filter has besides a card's clause, so that all keep their figures while one is chosen.
    const rest = withoutCards(state.filter, all.answer?.cards ?? []);
    const part = useAnswer(rest && all.answer ? summaryQuestion(about, state, rest) : null, about.generation, convert, "cards");
    const asked = rest ? part : all;
    const summary = asked.answer;
    const chosen = summary?.cards.find((card) => isChosen(card, about, state, rest));
    useEffect(() => {
        document.title = `${chosen && chosen.clause ? `${chosen.title}: ` : ""}${about.name} – heaptap`;
    }, [chosen?.title, about.name]);
    if (!summary) return asked.failure ? null : <div class="cards" aria-busy="true" />;
    const choose = (card: Card) => navigate({ zoom: "", search: "", ...(card === chosen && card.card !== "total" ? { filter: rest, quantity: "allocated", type: -1 } : chosenBy(card, about, rest)) });
    return (
        <section class="cards" aria-label="Summary" aria-busy={asked.waiting} data-answers={asked.url}>
            {summary.remark && <p class="remark" role="status" id="remark">{summary.remark}</p>}
            {summary.cards.map((card) => (
                <OneCard key={card.card} card={card} unit={summary.unit} sign={card.card === "changed"} chosen={card === chosen} choose={() => choose(card)}
                    curve={{ peak: summary.over_time?.live_bytes, total: summary.over_time?.allocated_bytes }[card.card]}
                    said={saidOf(helps(summary.advice, card), card)} remedy={helps(summary.advice, card)?.remedy} open={() => navigate({ ...chosenBy(card, about, rest), view: withPane.has(state.view) ? state.view : "flame", function: card.function ?? "", of: card.file ?? "", zoom: "", search: "" })}
                    openHolders={() => navigate({ filter: rest, view: "holders", kept: "sites", snapshot: "", row: siteKey(keptAt(card)), function: keptAt(card).function ?? "", of: keptAt(card).file ?? "", zoom: "", search: "" })} />
            ))}
        </section>
    );
}
