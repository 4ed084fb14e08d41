import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, isReport } from "./api";
import { onMessage } from "./files";
import { Cards } from "./cards";
import { bytes, three } from "./format";
import { FilterBar } from "./filter-bar";
import { Header } from "./header";
import { Help } from "./help";
import { memo } from "./memo";
import { type Navigate, parse, print, type State, type ViewName, views } from "./state";
import { useTheme } from "./theme";
import { Timeline } from "./timeline";
import { learn } from "./clauses";
import type { About, Shown } from "./types";
import { ViewOf } from "./view";

// Asks what the trace is until it is read; then, while it may still grow, once a second.
function useAbout(): [About | null, string] {
    const [about, set] = useState<About | null>(null);
    const [error, setError] = useState("");
    useEffect(() => {
        let timer = 0;
        const abort = new AbortController();
        const again = (after: number) => (timer = window.setTimeout(next, after));
        const next = () =>
            ask<About>("/api/about", abort.signal).then(
                (answer) => {
                    learn(answer.clauses);
                    set((before) => (before && JSON.stringify(before) === JSON.stringify(answer) ? before : answer));
                    setError("");
                    if (answer.state === "reading") again(100);
                    else if (answer.live) again(1000);
                },
                (failure: Error) => {
                    if (abort.signal.aborted) return;
                    setError(isReport ? failure.message : "heaptap view has ended: start it again, and reload this page.");
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

function useLocation(): [State, Navigate] {
    const [state, set] = useState<State>(() => parse(location.search || location.hash.replace(/^#/, "?")));
    const last = useRef(state);
    last.current = state;
    useEffect(() => {
        const changed = () => set(parse(location.search || location.hash.replace(/^#/, "?")));
        addEventListener("popstate", changed);
        return () => removeEventListener("popstate", changed);
    }, []);
    const navigate = useCallback<Navigate>((change, replace = false) => {
        const next = { ...last.current, ...change };
        const url = isReport ? "#" + print(next).replace(/^[^?]*\??/, "") : print(next);
        if (print(next) !== print(last.current)) history[replace ? "replaceState" : "pushState"](null, "", url);
        last.current = next;
        set(next);
    }, []);
    return [state, navigate];
}

function isTyping(event: KeyboardEvent): boolean {
    const element = event.target as HTMLElement;
    return /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) || element.isContentEditable;
}

// A report answers what its views ask, not the reports of the command line.
const viewNames = (Object.keys(views) as ViewName[]).filter((name) => !(isReport && name === "reports"));

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

function Tabs({ view, navigate }: { view: ViewName; navigate: Navigate }) {
    const move = (event: KeyboardEvent) => {
        const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (!by) return;
        const next = viewNames[(viewNames.indexOf(view) + by + viewNames.length) % viewNames.length];
        navigate({ view: next });
        document.getElementById("tab-" + next)?.focus();
        event.preventDefault();
        event.stopPropagation();
    };
    // Where there is no room for all, the chosen one is scrolled to.  After scrollIntoView some browsers' Tab key goes on from there.
    useEffect(() => {
        const tab = document.getElementById("tab-" + view);
        const bar = tab?.parentElement;
        if (!tab || !bar) return;
        const [at, seen] = [tab.getBoundingClientRect(), bar.getBoundingClientRect()];
        bar.scrollLeft += Math.min(0, at.left - seen.left) + Math.max(0, at.right - seen.right);
    }, [view]);
    return (
        <nav class="tabs" role="tablist" aria-label="Views" onKeyDown={move}>
            {viewNames.map((name) => (
                <button type="button" role="tab" id={"tab-" + name} key={name} aria-selected={name === view} aria-controls="view"
                    tabIndex={name === view ? 0 : -1} onClick={() => navigate({ view: name })}>
                    {views[name]}
                </button>
            ))}
        </nav>
    );
}

// What a picture's zoom and the like change nothing of.
const KeptHeader = memo(Header, ["file"]);
const KeptFilterBar = memo(FilterBar, ["file", "filter", "quantity", "type", "weight", "grain", "direction", "recursion", "order", "search", "view"]);
const KeptCards = memo(Cards, ["file", "filter", "quantity", "weight", "type"]);
const KeptTimeline = memo(Timeline, ["file", "filter", "weight", "clock", "times"]);
const KeptTabs = memo(Tabs);

// The URL's fragment is a report's state, so the link goes there by itself.
function skip(event: Event): void {
    event.preventDefault();
    document.querySelector<HTMLElement>("#view .picture, #view [tabindex='0'], #view input, #view button")?.focus();
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

export function App() {
    const [about, error] = useAbout();
    const [state, navigate] = useLocation();
    const [theme, choice, choose] = useTheme();
    const [help, setHelp] = useState(false);
    const [message, setMessage] = useState("");
    useKeys(navigate, state.view, () => setHelp((shown) => !shown));
    useEffect(() => {
        let timer = 0;
        onMessage((text) => {
            setMessage(text);
            clearTimeout(timer);
            timer = window.setTimeout(() => setMessage(""), 3000);
        });
    }, []);
    useEffect(() => {
        if (about) document.title = `${about.name} – heaptap`;
    }, [about?.name]);
    const shown = useMemo(() => shownOf(about, state.file), [about, state.file]);
    const showHelp = useCallback(() => setHelp(true), []);
    if (!about || !shown || about.state === "reading") return error ? <main class="waiting" role="alert">{error}</main> : <Waiting about={about} />;
    const props = { about: shown, state, navigate, theme };
    return (
        <>
            <a class="skip" href="#view" onClick={skip}>Skip to the picture</a>
            <KeptHeader about={shown} state={state} navigate={navigate} choice={choice} choose={choose} showHelp={showHelp} />
            {error && <p class="remark" role="alert">{error}</p>}
            {shown.remark && <p class="remark" role="status">This file ends early: {shown.remark}. What stands before that is shown.</p>}
            {(shown.thinned ?? 1) > 1 && <p class="remark" role="status" id="thinned">To keep to the memory that it may take, this page shows one sample in {three(shown.thinned!)} of the file: its figures are estimates at that rate, with errors about {three(Math.sqrt(shown.thinned!))} times as large. The commands read all of it; <code>heaptap view --memory</code> sets how much the page may take.</p>}
            {isReport && <p class="quiet" id="bounded">A report: it holds a few selections, bounded in size; each picture says how much is hidden.</p>}
            <KeptCards {...props} />
            <KeptFilterBar {...props} />
            {shown.kind === "trace" ? <KeptTimeline {...props} /> : <p class="quiet" id="timeless">{shown.home ? "What is chosen is summed up over its time; curves are on the page of all services." : "A profile has sums and no times, so there is no timeline."}</p>}
            <KeptTabs view={state.view} navigate={navigate} />
            <main>
                <div id="view" role="tabpanel" aria-labelledby={"tab-" + state.view} data-view={state.view}>
                    <ViewOf {...props} />
                </div>
            </main>
            <div class="message" role="status" aria-live="polite">{message}</div>
            {help && <Help close={() => setHelp(false)} />}
        </>
    );
}
