// The first row: the questions that everybody asks, each a card with its figure, its curve, and the line of the user's own code that
// has most of it.  A card is a question: to choose it sets the filter and what is counted, and to choose it again takes that back.

import { useEffect } from "preact/hooks";
import { question, useAnswer } from "./api";
import { withClause } from "./clauses";
import { bytes, percent, value } from "./format";
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
}

interface Advice {
    rule: string;
    title: string;
    function: string | null;
    file: string | null;
    line?: number;
    saved?: number | null;
    remedy: string;
}

export interface Summary {
    unit: string;
    cards: Card[];
    over_time?: { live_bytes: number[]; allocated_bytes: number[] };
    advice?: Advice[];
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
    return Object.entries(chosenBy(card, about, filter)).every(([key, wanted]) => state[key as keyof State] === wanted);
}

function Curve({ values }: { values: number[] }) {
    const most = Math.max(...values, 1);
    const points = values.map((amount, i) => `${((i + 1) / values.length) * 100},${30 - (28 * amount) / most}`).join(" ");
    return (
        <svg class="card-curve" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
            <polygon points={`0,30 ${points} 100,30`} />
        </svg>
    );
}

function placeOf(card: { file: string | null; line?: number }): string {
    const file = card.file ?? "";
    return file ? file.slice(file.lastIndexOf("/") + 1) + (card.line ? `:${card.line}` : "") : "";
}

// The rules that tell of figures alone, by the card that has this figure; the others have a cause, and a remedy for all of them.
const figures: Record<string, string> = { dominant: "total", peak: "peak", "short-lived": "churn", growing: "left" };

function helps(advice: Advice[] | undefined, card: Card): Advice | undefined {
    return advice?.find((point) => point.function === card.function && point.file === card.file && point.line === card.line && (figures[point.rule] ?? card.card) === card.card);
}

interface One {
    card: Card;
    unit: string;
    curve: number[] | undefined;
    advice: Advice | undefined;
    chosen: boolean;
    choose: () => void;
    open: () => void;
}

function OneCard({ card, unit, curve, advice, chosen, choose, open }: One) {
    const place = placeOf(card);
    return (
        <section class="card" data-card={card.card} data-value={card.value} aria-label={card.title}>
            <button type="button" aria-pressed={chosen} onClick={choose} title={`Look at what is ${card.title.toLowerCase()}`}>
                <span class="card-title">{card.title}</span>
                <span class="card-value">{card.card === "changed" && card.value > 0 ? "+" : ""}{value(card.value, unit)}</span>
                {curve && <Curve values={curve} />}
                {card.value_low !== undefined && card.value_high !== undefined && (
                    <span class="card-bounds quiet">{value(card.value_low, unit)} to {value(card.value_high, unit)}</span>
                )}
            </button>
            {card.function && card.share !== null && (
                <p class="card-line">
                    <button type="button" class="link" onClick={open} title={`${card.function} ${card.file ?? ""}: show its source at the side`}>
                        <b>{percent(card.share, 1)}</b> <span class="card-name">{card.function}</span> <span class="quiet mono">{place}</span>
                    </button>
                </p>
            )}
            {(advice || card.caller) && (
                <p class="card-line quiet" title={advice?.remedy}>
                    {advice ? `${advice.title}${advice.saved ? `: saves up to ${bytes(advice.saved)}` : ""}` : `called by ${card.caller}`}
                </p>
            )}
        </section>
    );
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
    if (!summary) return asked.failure && !asked.failure.isOfFilter ? null : <div class="cards" aria-busy="true" />;
    const choose = (card: Card) => navigate({ zoom: "", search: "", ...(card === chosen && card.card !== "total" ? { filter: rest, quantity: "allocated", type: -1 } : chosenBy(card, about, rest)) });
    return (
        <section class="cards" aria-label="Summary" aria-busy={asked.waiting} data-answers={asked.url}>
            {summary.cards.map((card) => (
                <OneCard key={card.card} card={card} unit={summary.unit} chosen={card === chosen} choose={() => choose(card)}
                    curve={{ peak: summary.over_time?.live_bytes, total: summary.over_time?.allocated_bytes }[card.card]}
                    advice={helps(summary.advice, card)} open={() => navigate({ ...chosenBy(card, about, rest), view: withPane.has(state.view) ? state.view : "flame", function: card.function ?? "", zoom: "", search: "" })} />
            ))}
        </section>
    );
}
