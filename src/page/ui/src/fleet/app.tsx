import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { question, useAnswer } from "../api";
import { onMessage } from "../files";
import { type ThemeChoice, useTheme } from "../theme";
import type { Labels, Services } from "./answers";
import { Chart } from "./chart";
import { Chosen } from "./chosen";
import { condition, type FleetState, type Go, named, parse, print, rangeOf, rangeText, selection } from "./state";
import { Rows } from "./table";
import { moment } from "./times";

const STEPS = 120;
const ROWS = 100;
const AGAIN_MILLISECONDS = 30000;

function useLocation(): [FleetState, Go] {
    const [state, set] = useState(() => parse(location.search));
    const last = useRef(state);
    last.current = state;
    useEffect(() => {
        const changed = () => set(parse(location.search));
        addEventListener("popstate", changed);
        return () => removeEventListener("popstate", changed);
    }, []);
    const go = useCallback<Go>((change, replace = false) => {
        const next = { ...last.current, ...change };
        if (print(next) !== print(last.current)) history[replace ? "replaceState" : "pushState"](null, "", print(next));
        last.current = next;
        set(next);
    }, []);
    return [state, go];
}

// A number that grows now and then, while the page is seen, if what it shows ends now.
function useClock(runs: boolean): number {
    const [now, set] = useState(0);
    useEffect(() => {
        if (!runs) return;
        const timer = window.setInterval(() => document.hidden || set((n) => n + 1), AGAIN_MILLISECONDS);
        return () => clearInterval(timer);
    }, [runs]);
    return now;
}

function useMessages(): string {
    const [message, set] = useState("");
    useEffect(() => {
        let timer = 0;
        onMessage((text) => {
            set(text);
            clearTimeout(timer);
            timer = window.setTimeout(() => set(""), 3000);
        });
    }, []);
    return message;
}

// ---- The bars --------------------------------------------------------------------------------

function Header({ store, choice, choose }: { store: string; choice: ThemeChoice; choose: (choice: ThemeChoice) => void }) {
    return (
        <header class="header">
            <h1>{store || "heaptap"}</h1>
            <span class="space" />
            <label class="field">
                <span class="hidden">Theme</span>
                <select id="theme" value={choice} onChange={(event) => choose(event.currentTarget.value as ThemeChoice)}>
                    <option value="system">as the system</option>
                    <option value="light">light</option>
                    <option value="dark">dark</option>
                </select>
            </label>
        </header>
    );
}

const times: [string, string][] = [["last 1h", "the last hour"], ["last 6h", "the last 6 hours"], ["last 24h", "the last day"], ["last 7d", "the last week"], ["last 30d", "the last 30 days"], ["", "all time"]];

// Taken when it is left or Enter is pressed; what the URL says comes in its place only when that changes.
function Typed({ id, label, text, hint, list, set }: { id: string; label: string; text: string; hint: string; list?: string; set: (text: string) => void }) {
    const [typed, type] = useState(text);
    useEffect(() => type(text), [text]);
    return (
        <label class="field wide">
            <span>{label}</span>
            <input id={id} value={typed} placeholder={hint} list={list} spellcheck={false} autocomplete="off"
                onInput={(event) => type(event.currentTarget.value)} onChange={(event) => set(event.currentTarget.value.trim())} />
        </label>
    );
}

function Bar({ state, go, labels }: { state: FleetState; go: Go; labels: Labels | null }) {
    const range = rangeOf(state.time);
    const known = labels?.labels ?? [];
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
            <Typed id="where" label="Where" text={state.where} hint="service=api version!=1.3" list="conditions" set={(where) => go({ where, value: "" })} />
            <datalist id="conditions">{known.flatMap(({ label, values }) => values.slice(0, 30).map((value) => <option key={label + value} value={condition(label, value)} />))}</datalist>
            <Typed id="through" label="Through" text={state.through} hint="a function, or FILE:LINE" set={(through) => go({ through })} />
        </section>
    );
}

// ---- The page --------------------------------------------------------------------------------

const identity = (raw: never) => raw as Services;

// The part of what is seen that is chosen, with times that stay what they are.
function choose(state: FleetState, answer: Services): { of: string; before: string; times: [number, number] } {
    const whole: [number, number] = [answer.from_us * 1e-6, answer.to_us * 1e-6];
    const part = rangeOf(state.range) ?? whole;
    const labels = selection(state.where, state.value && condition(state.by, state.value));
    const length = part[1] - part[0];
    return {
        of: selection(labels, `time=${rangeText(...part)}`),
        before: selection(labels, `time=${rangeText(Math.floor(part[0]) - Math.ceil(length), Math.floor(part[0]))}`),
        times: part,
    };
}

export function Fleet() {
    const [state, go] = useLocation();
    const [theme, choice, setChoice] = useTheme();
    const message = useMessages();
    const clock = useClock(state.time.startsWith("last "));
    const of = selection(state.where, state.time && `time=${state.time}`);
    const known = useAnswer<Labels>("/api/labels", 0, (raw: never) => raw as Labels);
    const asked = (through: string) => question("/api/services", { of: named(of), by: state.by, steps: STEPS, "node-count": ROWS, through });
    const found = useAnswer(asked(state.through), clock, identity);
    const whole = useAnswer(state.through ? asked("") : null, clock, identity);
    useEffect(() => {
        if (known.answer) document.title = `${known.answer.store} – heaptap`;
    }, [known.answer]);
    const answer = found.answer;
    const chosen = useMemo(() => (answer ? choose(state, answer) : null), [answer, state]);
    const fixed = answer ? rangeText(answer.from_us * 1e-6, answer.to_us * 1e-6) : "";
    const isRate = state.what === "allocated";
    const baseTime = /(?:^| )time=(\d+\.\.\d+)$/.exec(state.base);
    const ofRow = (name: string) => selection(state.where, condition(state.by, name), chosen ? `time=${rangeText(...chosen.times)}` : "");
    const narrow = (name: string) => {
        const next = known.answer?.labels.map(({ label }) => label).find((label) => label !== state.by && !state.where.includes(label + "=") && (state.by !== "service" || label === "version"));
        go({ where: selection(state.where, condition(state.by, name)), by: next ?? state.by, value: "", sort: "" });
    };
    return (
        <div class="fleet">
            <Header store={known.answer?.store ?? ""} choice={choice} choose={setChoice} />
            <Bar state={state} go={go} labels={known.answer} />
            {found.error && <p class="remark" role="alert">{found.error}</p>}
            {!answer && !found.error && <p class="quiet" role="status">Asking…</p>}
            {answer && chosen && !found.error && (
                <main class={found.waiting ? "busy" : ""} aria-busy={found.waiting} data-answers={found.url}>
                    {answer.lacks && <p class="remark" role="status">{answer.lacks}.</p>}
                    {state.through && <p class="quiet" id="cost">Only what leads through <code>{state.through}</code> is counted. <button type="button" onClick={() => go({ through: "" })}>Count all</button></p>}
                    <Chart answer={answer} rate={isRate} theme={theme} chosen={state.value} range={rangeOf(state.range)} base={baseTime && rangeOf(baseTime[1])}
                        setRange={(range) => go({ range: range ? rangeText(...range) : "" }, !!state.range)} file={`heaptap-${state.by}-${state.what}`} />
                    <Chosen state={state} go={go} of={chosen.of} before={chosen.before} link={new URL(print({ ...state, time: fixed }), location.href).href} />
                    <Rows answer={answer} whole={state.through ? whole.answer : null} theme={theme} state={state} go={go} narrow={narrow}
                        choose={(value) => go({ value })} asBase={(name) => go({ base: state.base === ofRow(name) ? "" : ofRow(name) })} isBase={(name) => state.base === ofRow(name)} />
                </main>
            )}
            <div class="message" role="status" aria-live="polite">{message}</div>
        </div>
    );
}
