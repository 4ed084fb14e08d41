// All of a store: what grew in it, its services over time, and what is chosen of them.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { question, useAnswer } from "../api";
import { Chips } from "../chips";
import { value } from "../format";
import { ThemeField } from "../header";
import { useAddress } from "../location";
import { Message } from "../message";
import { type Theme, useTheme } from "../theme";
import type { Grown, Services, Store } from "./answers";
import { Chart } from "./chart";
import { Chosen } from "./chosen";
import { type Comparison, WhatGrew } from "./grew";
import { condition, conditionsOf, type FleetState, type Go, halvesOf, isToday, lastDays, named, parse, print, rangeOf, rangeText, selection, suggestConditions, timeOf, whereOf } from "./state";
import { FleetCards } from "./summary";
import { Rows } from "./table";
import { moment } from "./times";

const STEPS = 120;
const ROWS = 100;
const SITES = 50;
const AGAIN_MILLISECONDS = 30000;

// A number that grows now and then, while the page is seen, if what it shows may grow.
function useClock(runs: boolean): number {
    const [now, set] = useState(0);
    useEffect(() => {
        if (!runs) return;
        const timer = window.setInterval(() => document.hidden || set((n) => n + 1), AGAIN_MILLISECONDS);
        return () => clearInterval(timer);
    }, [runs]);
    return now;
}

// ---- The bar ---------------------------------------------------------------------------------

const times: [string, string][] = [["", "the last two days that have profiles"], ["last 1h", "the last hour"], ["last 6h", "the last 6 hours"], ["last 24h", "the last day"], ["last 7d", "the last week"], ["last 30d", "the last 30 days"], ["all", "all time"]];

// Taken when it is left or Enter is pressed; what the URL says comes in its place only when that changes.
function Typed({ id, label, text, hint, set }: { id: string; label: string; text: string; hint: string; set: (text: string) => void }) {
    const [typed, type] = useState(text);
    useEffect(() => type(text), [text]);
    return (
        <label class="field wide">
            <span>{label}</span>
            <input id={id} value={typed} placeholder={hint} spellcheck={false} autocomplete="off"
                onInput={(event) => type(event.currentTarget.value)} onChange={(event) => set(event.currentTarget.value.trim())} />
        </label>
    );
}

function Bar({ state, go, store }: { state: FleetState; go: Go; store: Store }) {
    const range = rangeOf(state.time);
    const known = store.labels;
    const suggest = useCallback((text: string, caret: number) => suggestConditions(known, text, caret), [known]);
    return (
        <section class="bar" aria-label="What is chosen">
            <label class="field">
                <span>Time</span>
                <select id="time" value={state.time} onChange={(event) => go({ time: event.currentTarget.value, range: "" })}>
                    {times.map(([text, name]) => <option key={text} value={text}>{name}</option>)}
                    {!times.some(([text]) => text === state.time) && <option value={state.time}>{range ? `${moment(range[0])} to ${moment(range[1])}` : state.time}</option>}
                </select>
            </label>
            <label class="field">
                <span>By</span>
                <select id="by" value={state.by} onChange={(event) => go({ by: event.currentTarget.value, value: "" })}>
                    {[...new Set([state.by, ...known.map(({ label }) => label)])].map((label) => <option key={label} value={label}>{label}</option>)}
                </select>
            </label>
            <label class="field">
                <span>Show</span>
                <select id="what" value={state.what} onChange={(event) => go({ what: event.currentTarget.value as FleetState["what"] })}>
                    <option value="allocated">what is allocated</option>
                    <option value="in_use">what is in use</option>
                </select>
            </label>
            <div class="filter">
                <Chips id="where" label="Where" clause="condition" everything="all profiles" list={conditionsOf(state.where)} apply={(list) => go({ where: whereOf(list), value: "" })}
                    helpOf={() => "Only profiles of which that holds"} suggest={suggest} wrong={false} />
            </div>
            <Typed id="through" label="Through" text={state.through} hint="a function, or FILE:LINE" set={(through) => go({ through })} />
        </section>
    );
}

// ---- The page --------------------------------------------------------------------------------

const identity = (raw: never) => raw as Services;

// The part of what is seen that is chosen, with times that stay what they are.
function choose(state: FleetState, answer: Services): { of: string; times: [number, number]; labels: string } {
    const times: [number, number] = rangeOf(state.range) ?? [Math.floor(answer.from_us * 1e-6), Math.ceil(answer.to_us * 1e-6)];
    const labels = selection(state.where, state.value && condition(state.by, state.value));
    return { of: selection(labels, `time=${rangeText(...times)}`), times, labels };
}

// What growth is looked at: against the base; else of the chosen range against as long a time before; else of the last day, or the
// later half, of what is seen.  And what stands in the address once that is asked for.
function compare(state: FleetState, of: string, times: [number, number], labels: string): { comparison: Comparison; compared: Partial<FleetState>; from: number } {
    if (state.base) return { comparison: { of, base: state.base, since: "against the base" }, compared: { base: state.base }, from: times[0] };
    const isRange = state.range !== "";
    const { now, before } = isRange ? { now: times, before: [times[0] - (times[1] - times[0]), times[0]] as [number, number] } : halvesOf(times);
    const base = selection(labels, `time=${rangeText(...before)}`);
    const since = isRange ? "against the time before" : isToday(now) ? "since yesterday" : `since ${moment(now[0])}`;
    return { comparison: { of: selection(labels, `time=${rangeText(...now)}`), base, since }, compared: { base, range: rangeText(...now) }, from: now[0] };
}

// A store that has nothing yet.
function Empty() {
    return (
        <main class="waiting" id="no-profiles">
            <h2>No profiles yet</h2>
            <p>Here stands what programs allocate once they send profiles to this address:</p>
            <pre>heaptap record --push {location.origin} --label service=api -- ./server{"\n"}curl --data-binary @app.pb.gz '{location.origin}/profiles?service=api'</pre>
        </main>
    );
}

// Why nothing is counted; null where something is.
function whyNothing(store: Store, { where, through }: FleetState, { services }: Services): string | null {
    if (services.some((row) => row.allocated_bytes || row.in_use_bytes)) return null;
    const isProfiled = services.some((row) => row.profiles > 0);
    const unknown = [...where.matchAll(/(?:^| )([^\s="'!]+)=/g)].map(([, label]) => label).filter((name) => name !== "time" && !store.labels.some(({ label }) => label === name));
    if (!isProfiled && unknown.length > 0) return `No such label: ${unknown.join(", ")}.`;
    if (!isProfiled) return `No profile has ${where || "this"} in this time.`;
    return through ? `No such function or line in these profiles: ${through}.` : null;
}

// A set of labels beside which nothing else is seen: its profile is broken, or sent to do harm; and the way to leave it out.
function Outlier({ outlier, leaveOut }: { outlier: NonNullable<Services["outlier"]>; leaveOut: (clause: string) => void }) {
    const { of, label, series, bytes, rest_bytes } = outlier;
    const isOne = series === 1;
    return (
        <p class="remark" role="status" id="outlier">
            {isOne ? "One set of labels" : `The heaviest of ${series} sets of labels`}{label && <>, of <code>{condition(label, outlier.value!)}</code>,</>} has {value(bytes, "bytes")} {of}; all {isOne ? "others" : "that have less"} together have {value(rest_bytes, "bytes")}. Beside it they can't be seen.
            {" "}{label && <button type="button" id="leave-out" onClick={() => leaveOut(condition(label, outlier.value!, "!="))}>Leave {label} {outlier.value} out</button>}
        </p>
    );
}

function Shown({ store, state, go, theme }: { store: Store; state: FleetState; go: Go; theme: Theme }) {
    const clock = useClock(state.time.startsWith("last "));
    const last = useRef<[number, number] | null>(null);
    last.current = lastDays(store.from_us, store.until_us, last.current);
    const of = selection(state.where, timeOf(state.time, last.current));
    const asked = (through: string) => question("/api/services", { of: named(of), by: state.by, steps: STEPS, "node-count": ROWS, through });
    const found = useAnswer(asked(state.through), clock, identity);
    const whole = useAnswer(state.through ? asked("") : null, clock, identity);
    const answer = found.answer;
    const chosen = useMemo(() => (answer ? choose(state, answer) : null), [answer, state]);
    const growth = chosen && compare(state, chosen.of, chosen.times, chosen.labels);
    const compares = growth && answer!.services.length > 0 && !state.through;
    const isFirst = !!growth && !state.base && growth.from * 1e6 <= store.from_us; // nothing is there before it
    const grown = useAnswer<Grown>(compares && !isFirst ? question("/api/regressions", { of: named(growth.comparison.of), base: named(growth.comparison.base), "node-count": SITES }) : null, 0, (raw: never) => raw as Grown);
    if (found.error) return <main><p class="remark" role="alert">{found.error}</p></main>;
    if (!answer || !chosen || !growth) return <main><p class="quiet" role="status">Asking…</p></main>;
    const nothing = whyNothing(store, state, answer);
    const fixed = rangeText(answer.from_us * 1e-6, answer.to_us * 1e-6);
    const isRate = state.what === "allocated";
    const baseTime = /(?:^| )time=(\d+\.\.\d+)$/.exec(state.base);
    const ofRow = (name: string) => selection(state.where, condition(state.by, name), `time=${rangeText(...chosen.times)}`);
    const narrow = (name: string) => {
        const next = store.labels.map(({ label }) => label).find((label) => label !== state.by && !state.where.includes(label + "=") && (state.by !== "service" || label === "version"));
        go({ where: selection(state.where, condition(state.by, name)), by: next ?? state.by, value: "", sort: "" });
    };
    return (
        <main class={found.waiting ? "busy" : ""} aria-busy={found.waiting} data-answers={found.url}>
            {answer.lacks && <p class="remark" role="status">{answer.lacks}.</p>}
            {state.through && <p class="quiet" id="cost">Only what leads through <code>{state.through}</code> is counted. <button type="button" onClick={() => go({ through: "" })}>Count all</button></p>}
            {answer.outlier && <Outlier outlier={answer.outlier} leaveOut={(clause) => go({ where: whereOf([...conditionsOf(state.where), clause]), value: "" })} />}
            {nothing && <p class="remark" role="status" id="nothing">{nothing}</p>}
            {!nothing && <FleetCards store={store} answer={answer} grown={compares && !isFirst && !grown.error ? grown.answer : null} comparison={growth.comparison} compared={growth.compared} state={state} go={go} narrow={narrow} />}
            {compares && !nothing && <WhatGrew comparison={growth.comparison} asked={grown} isFirst={isFirst} hasBase={state.base !== ""} all={state.all === "1"} go={go} />}
            <h2>By {answer.label}, over time</h2>
            <Chart answer={answer} rate={isRate} theme={theme} chosen={state.value} range={rangeOf(state.range)} base={baseTime && rangeOf(baseTime[1])}
                setRange={(range) => go({ range: range ? rangeText(...range) : "" }, !!state.range)} file={`heaptap-${state.by}-${state.what}`} />
            <Chosen state={state} go={go} of={chosen.of} link={new URL(print({ ...state, time: fixed }), location.href).href} />
            <Rows answer={answer} whole={state.through ? whole.answer : null} theme={theme} state={state} go={go} narrow={narrow}
                choose={(value) => go({ value })} asBase={(name) => go({ base: state.base === ofRow(name) ? "" : ofRow(name) })} isBase={(name) => state.base === ofRow(name)} />
        </main>
    );
}

export function Fleet({ store, error }: { store: Store; error: string }) {
    const [state, go] = useAddress(parse, print);
    const [theme, choice, setChoice] = useTheme();
    useEffect(() => void (document.title = `${store.name} – heaptap`), [store.name]);
    return (
        <div class="fleet">
            <header class="header">
                <h1>{store.name}</h1>
                <span class="space" />
                <ThemeField choice={choice} choose={setChoice} />
            </header>
            {error && <p class="remark" role="alert">{error}</p>}
            {store.until_us > 0 && <Bar state={state} go={go} store={store} />}
            {store.until_us > 0 ? <Shown store={store} state={state} go={go} theme={theme} /> : <Empty />}
            <Message />
        </div>
    );
}
