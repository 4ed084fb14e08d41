import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ask, isReport } from "./api";
import { Cards } from "./cards";
import { bytes, duration, three } from "./format";
import { Palette } from "./colours";
import { Counting } from "./counting";
import { FilterBar } from "./filter-bar";
import { Header } from "./header";
import { Fleet } from "./fleet/app";
import type { Store } from "./fleet/answers";
import { Help } from "./help";
import { useAddress } from "./location";
import { stepToMatch } from "./marks";
import { memo } from "./memo";
import { Message } from "./message";
import { Pane } from "./pane";
import { useAccepted } from "./refusals";
import { useRoomBelow } from "./room";
import { SearchField } from "./search-field";
import { useSeries } from "./series";
import { changed, type Navigate, parse, print, type State, type ViewName, views } from "./state";
import { Tabs, viewNames } from "./tabs";
import { useTheme } from "./theme";
import { Timeline } from "./timeline";
import { learn } from "./clauses";
import type { About, Shown } from "./types";
import { searched, ViewOf, withPane, withTimeline } from "./view";

const FLEET_MILLISECONDS = 30000;

// Asks what the trace is until it is read; then, while it may still grow, once a second.  Of a store, now and then while it is seen.
function useAbout(): [About | Store | null, string] {
    const [about, set] = useState<About | Store | null>(null);
    const [error, setError] = useState("");
    useEffect(() => {
        let timer = 0;
        const abort = new AbortController();
        const again = (after: number) => (timer = window.setTimeout(next, after));
        const next = () =>
            ask<About | Store>("/api/about", abort.signal).then(
                (answer) => {
                    if (answer.state !== "fleet") learn(answer.clauses);
                    set((before) => (before && JSON.stringify(before) === JSON.stringify(answer) ? before : answer));
                    setError("");
                    if (answer.state === "fleet") again(FLEET_MILLISECONDS);
                    else if (answer.state === "reading") again(100);
                    else if (answer.live) again(1000);
                },
                (failure: Error) => {
                    if (abort.signal.aborted) return;
                    setError(failure.message);
                },
            );
        next();
        return () => {
            abort.abort();
            clearTimeout(timer);
        };
    }, []);
    return [about, error];
}

function isTyping(event: KeyboardEvent): boolean {
    const element = event.target as HTMLElement;
    return /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) || element.isContentEditable;
}

function useKeys(navigate: Navigate, view: ViewName, toggleHelp: () => void): void {
    useEffect(() => {
        const pressed = (event: KeyboardEvent) => {
            if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
            if (isTyping(event)) {
                if (event.key === "Escape") (event.target as HTMLElement).blur();
                return;
            }
            const at = viewNames.indexOf(view);
            if (event.key === "?") toggleHelp();
            else if (event.key === "n" || event.key === "N") stepToMatch(event.key === "n" ? 1 : -1);
            else if (event.key === "/") document.getElementById("search")?.focus();
            else if (event.key === "f") document.getElementById("filter")?.focus();
            else if (event.key === "]") navigate({ view: viewNames[(at + 1) % viewNames.length] });
            else if (event.key === "[") navigate({ view: viewNames[(at + viewNames.length - 1) % viewNames.length] });
            else if (event.key === "r") navigate({ zoom: "", search: "" });
            else return;
            event.preventDefault();
        };
        addEventListener("keydown", pressed);
        return () => removeEventListener("keydown", pressed);
    }, [view]);
}

// What a picture's zoom and the like change nothing of.
const KeptHeader = memo(Header, ["file"]);
const KeptFilterBar = memo(FilterBar, ["file", "filter", "quantity", "type", "weight"]);
const KeptCounting = memo(Counting, ["quantity", "type", "weight", "grain", "direction", "recursion", "order", "view"]);
const KeptSearch = memo(SearchField, ["search"]);
const KeptCards = memo(Cards, ["file", "filter", "quantity", "weight", "type", "view"]);
const KeptTimeline = memo(Timeline, ["file", "filter", "weight", "clock", "times"]);
const KeptTabs = memo(Tabs);

// The URL's fragment is a report's state, so the link goes there by itself.
function skip(event: Event): void {
    event.preventDefault();
    document.querySelector<HTMLElement>("#view .picture, #view [tabindex='0'], #view input, #view button")?.focus();
}

const nobody = new Palette([]);

// Ranks of the functions that hold most in the whole run, so that colours stay while filters change; then of those that the filter
// leaves.
function usePalette(about: Shown | null, state: State): Palette {
    const known = about ?? ({ kind: "profile", generation: 0 } as Shown);
    const whole = useSeries(known, about ? "" : null, state.file);
    const part = useSeries(known, about && state.filter ? state.filter : null, state.file);
    return useMemo(() => (whole.answer ? nobody.with(whole.answer.layers).with(state.filter ? (part.answer?.layers ?? []) : []) : nobody), [whole.answer, part.answer, state.filter !== ""]);
}

function shownOf(about: About | null, file: number): Shown | null {
    const chosen = about?.files[file] ?? about?.files[0];
    return about && chosen ? { ...chosen, generation: about.generation, live: about.live, home: about.home, base: about.base ?? null, files: about.files } : null;
}

function Waiting({ about }: { about: About | null }) {
    const share = about && about.bytes_whole > 0 ? about.bytes_read / about.bytes_whole : undefined;
    return (
        <main class="waiting">
            <h1>{about ? about.name : "heaptap"}</h1>
            {about?.program && <p class="quiet" id="program">{about.program}{about.start_us ? `, begun ${new Date(about.start_us / 1000).toLocaleString()}` : ""}</p>}
            <label>
                heaptap is reading the trace: {share !== undefined ? `${Math.round(100 * share)} %` : bytes(about?.bytes_read ?? 0)}
                <progress max={1} value={share} />
            </label>
        </main>
    );
}

// All of a store, or what is shown of one or of files.
export function App() {
    const [about, error] = useAbout();
    return about?.state === "fleet" ? <Fleet store={about} error={error} /> : <Viewer about={about} error={error} />;
}

function Viewer({ about, error }: { about: About | null; error: string }) {
    const [asked, go] = useAddress(parse, print);
    const navigate = useCallback<Navigate>((change, replace) => go(changed(change), replace), [go]);
    const [filter, wrong] = useAccepted(asked.file, asked.filter);
    const state = useMemo(() => (filter === asked.filter ? asked : { ...asked, filter }), [asked, filter]);
    const [theme, choice, choose] = useTheme();
    const [help, setHelp] = useState(false);
    const [stage, room] = useRoomBelow();
    useKeys(navigate, state.view, () => setHelp((shown) => !shown));
    useEffect(() => {
        if (about) document.title = `${about.name} – heaptap`;
    }, [about?.name]);
    const shown = useMemo(() => shownOf(about, state.file), [about, state.file]);
    const palette = usePalette(about?.state === "ready" ? shown : null, state);
    const showHelp = useCallback(() => setHelp(true), []);
    if (!about || !shown || about.state === "reading") return error ? <main class="waiting" role="alert">{error}</main> : <Waiting about={about} />;
    const props = { about: shown, state, navigate, theme, palette };
    const hasPane = withPane.has(state.view);
    return (
        <>
            <a class="skip" href="#view" onClick={skip}>Skip to the picture</a>
            <KeptHeader about={shown} state={state} navigate={navigate} choice={choice} choose={choose} showHelp={showHelp} />
            {error && <p class="remark" role="alert">{error}</p>}
            {shown.remark && <p class="remark" role="status">This file ends early: {shown.remark}. What stands before that is shown.</p>}
            {shown.growing && <p class="remark" role="status" id="growing">This file is still being written: this is what it had after {duration((shown.duration_us ?? 0) * 1e-6)}.</p>}
            {(shown.thinned ?? 1) > 1 && <p class="remark" role="status" id="thinned">To keep to the memory that it may take, this page shows one sample in {three(shown.thinned!)} of the file: its figures are estimates at that rate, with errors about {three(Math.sqrt(shown.thinned!))} times as large. The commands read all of it; <code>heaptap view --memory</code> sets how much the page may take.</p>}
            {isReport && <p class="quiet" id="bounded" role="status">Written by <code>heaptap view -o</code>: what needs the recording itself says so.</p>}
            <KeptCards {...props} />
            <section class="bar" aria-label="View and selection">
                <KeptTabs view={state.view} navigate={navigate} />
                <KeptFilterBar {...props} state={asked} shown={filter} wrong={wrong} />
                <KeptCounting {...props} />
                {searched.has(state.view) && <KeptSearch state={state} navigate={navigate} />}
            </section>
            <div class={`stage${hasPane ? " with-pane" : ""}${hasPane && room > 0 ? " roomy" : ""}${wrong ? " stale" : ""}`}>
                <div class="stage-main" ref={stage}>
                    {withTimeline.has(state.view) && shown.kind === "trace" && <KeptTimeline {...props} />}
                    <main>
                        {withTimeline.has(state.view) && shown.kind !== "trace" && <p class="quiet" id="timeless">{shown.home ? "What is chosen is summed up over its time; curves are on the page of all services." : "A profile has sums and no times, so there is no timeline."}</p>}
                        <div id="view" role="tabpanel" aria-label={views[state.view]} data-view={state.view}>
                            <ViewOf {...props} />
                        </div>
                    </main>
                </div>
                {hasPane && <Pane {...props} room={room} />}
            </div>
            <Message />
            {help && <Help close={() => setHelp(false)} />}
        </>
    );
}
