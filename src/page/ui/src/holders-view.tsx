// Who keeps a block alive: what roots hold, and what holds the places that allocated, as rows that open.

import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { isReport } from "./api";
import { csv, download } from "./files";
import { bytes, count, duration, percent } from "./format";
import { byRoot, bySite, type Held, type HeldTree, type HoldersAnswer, leftOut, textOf, unlisted, useHolders } from "./holders";
import { stepsBy } from "./marks";
import { pattern } from "./search";
import type { State } from "./state";
import { Fold, type GridRow, indentOf, TreeGrid } from "./tree-grid";
import type { Shown } from "./types";
import type { ViewProps } from "./view";

const ROWS_MAX = 2000;

interface Row extends GridRow {
    held: Held; // of a note the row that it is of
    rest: number | null; // of a note: bytes, unless these are in its words
}

// A key's rows around it, and itself.
function around(key: string): string[] {
    const parts = key.split("\n");
    return parts.map((_, i) => parts.slice(0, i + 1).join("\n"));
}

function find(tree: HeldTree, key: string): Held | null {
    let found: Held | null = null;
    for (const part of around(key)) {
        const next: Held | undefined = (found ? found.of : tree.rows).find((row) => row.key === part);
        if (!next) return null;
        found = next;
    }
    return found;
}

// What is seen of a row at once: it, and the heaviest way on from it to its end.
function heaviestFrom(tree: HeldTree, key: string): string[] {
    const keys = key ? around(key) : [];
    for (let row: Held | null = find(tree, key) ?? tree.rows[0] ?? null; row; row = row.of[0] ?? null) keys.push(row.key);
    return keys;
}

function rowsOf(tree: HeldTree, open: Set<string>, isByRoot: boolean): Row[] {
    const rows: Row[] = [];
    const remark = (held: Held, depth: number, left: number, text: string) => {
        if (left > 0) rows.push({ held, depth, key: held.key, note: text, rest: left });
    };
    const share = (held: Held) => {
        if (held.shared) rows.push({ held, depth: 1, key: `shared ${held.key}`, note: held.shared, rest: null });
    };
    const add = (held: Held, depth: number) => {
        if (rows.length >= ROWS_MAX) return;
        const rest = depth === 0 || held.of.length > 0 ? unlisted(held) : 0;
        const opens = held.of.length > 0 || rest > 0;
        rows.push({ held, depth, rest, key: held.key, isOpen: opens ? open.has(held.key) : undefined });
        share(held);
        if (!opens || !open.has(held.key)) return;
        for (const inner of held.of) add(inner, depth + 1);
        remark(held, depth + 1, rest, depth > 0 ? "its own blocks" : "on lighter ways, which are not listed");
    };
    for (const held of tree.rows) add(held, 0);
    return rows;
}

const causes: Record<string, string> = { end: "when the program ended", signal: "at a signal", size: "at a size", interval: "at an interval" };

function Snapshots({ answer, state, navigate }: { answer: HoldersAnswer; state: State; navigate: ViewProps["navigate"] }) {
    const all = answer.snapshots;
    if (!all) return null;
    return (
        <label class="field snapshot">
            <span>Snapshot</span>
            <select id="snapshot" value={answer.snapshot.number === all.length ? "" : String(answer.snapshot.number)} onChange={(event) => navigate({ snapshot: event.currentTarget.value, row: "" })}>
                {all.map(({ number, at_us, cause, bytes: held }) => (
                    <option key={number} value={number === all.length ? "" : number}>{`${number}: ${duration(at_us * 1e-6)}, ${causes[cause] ?? cause}, ${bytes(held)}`}</option>
                ))}
            </select>
        </label>
    );
}

function Unknown({ about }: { about: Shown }) {
    return (
        <div class="remark" role="status" id="no-snapshot" data-answers="none">
            {about.kind === "trace"
                ? <>This trace has no snapshot of what holds its blocks. Record with one: <code>heaptap record --holders -o app.ctf -- ./app</code>; it is taken when the program ends, and when SIGUSR1 comes.</>
                : <>A profile has no single blocks, so nothing says what holds them. A trace does: <code>heaptap record --holders -o app.ctf -- ./app</code></>}
        </div>
    );
}

function Summary({ answer, state, navigate }: { answer: HoldersAnswer; state: State; navigate: ViewProps["navigate"] }) {
    const { snapshot, library_functions: libraries } = answer;
    return (
        <>
            <span data-total={snapshot.bytes}>{bytes(snapshot.bytes)}</span> in {count(snapshot.blocks)} blocks were alive {snapshot.cause === "end" ? causes.end : `after ${duration(snapshot.at_us * 1e-6)}`};{" "}
            <span data-lost={snapshot.lost_bytes}>{snapshot.lost_bytes > 0 ? `${bytes(snapshot.lost_bytes)} are lost: nothing holds them` : "nothing is lost"}</span>.{" "}
            {isReport ? null : libraries || state.libraries ? (
                <label class="field check" title="Allocators, standard libraries, installed packages: places of their own, or left out">
                    <input id="libraries" type="checkbox" checked={state.libraries} onChange={(event) => navigate({ libraries: event.currentTarget.checked, row: "" })} />
                    <span>libraries{libraries ? `: ${count(libraries)} functions, ${percent(answer.library_share ?? 0, 1)}, left out` : ""}</span>
                </label>
            ) : null}
        </>
    );
}

// The keys of rows that are open: at first the heaviest way of what the URL names; what else is opened stays until something else is asked.
function useOpen(tree: HeldTree | null, key: string): [Set<string>, (row: Row, wanted: boolean) => void] {
    const [open, set] = useState<Set<string>>(new Set());
    useEffect(() => {
        if (tree) set(new Set(heaviestFrom(tree, key)));
    }, [tree]);
    useEffect(() => {
        if (tree && key && around(key).slice(0, -1).some((outer) => !open.has(outer))) set(new Set([...open, ...heaviestFrom(tree, key)]));
    }, [key]);
    const toggle = ({ key }: Row, wanted: boolean) => {
        const next = new Set(open);
        if (wanted) next.add(key);
        else next.delete(key);
        set(next);
    };
    return [open, toggle];
}

function inOrder(rows: Held[]): Held[] {
    return rows.flatMap((row) => [row, ...inOrder(row.of)]);
}

export function Holders(props: ViewProps) {
    const { about, state, navigate } = props;
    const asked = useHolders(about, state);
    const answer = asked.answer;
    const isByRoot = state.kept === "roots";
    const tree = useMemo(() => (answer ? (isByRoot ? byRoot : bySite)(answer) : null), [answer, isByRoot]);
    const [open, toggle] = useOpen(tree, state.row);
    const rows = useMemo(() => (tree ? rowsOf(tree, open, isByRoot) : []), [tree, open]);
    const wanted = useMemo(() => pattern(state.search), [state.search]);
    const isFound = (held: Held) => !!wanted?.test(textOf(held.label));
    const choose = (held: Held, replace = false) => navigate({ row: held.key, ...(held.function ? { function: held.function, of: held.file } : {}) }, replace);
    useLayoutEffect(() => {
        const all = tree && wanted ? inOrder(tree.rows) : [];
        stepsBy(all.length === 0 ? null : (by) => {
            const at = all.findIndex(({ key }) => key === state.row);
            for (let i = 1; i <= all.length; i++) {
                const next = all[(((at < 0 && by < 0 ? 0 : at) + by * i) % all.length + all.length) % all.length];
                if (isFound(next)) return choose(next);
            }
        });
        return () => stepsBy(null);
    }, [tree, wanted, state.row]);
    if (!about.snapshots) return <Unknown about={about} />;
    if (!answer || !tree) return <p class={asked.error ? "remark" : "quiet"} role={asked.error ? "alert" : "status"}>{asked.error || "Counting…"}</p>;
    const ignored = leftOut(state.filter);
    const hasLost = tree.lost > 0;
    const save = () =>
        download(`heaptap-${about.name}-kept-by.csv`, "text/csv", csv([["depth", "bytes", "blocks", "retained", "lost", "name", "where"],
            ...rows.filter(({ note }) => !note).map(({ held, depth }) => [depth, held.bytes, held.blocks, held.retained ?? "", held.lost, held.label.name, held.label.note])]));
    return (
        <div class={asked.waiting ? "busy" : ""} aria-busy={asked.waiting} data-answers={asked.url}>
            <div class="bar">
                <span class="buttons" role="group" aria-label="From where">
                    <button type="button" id="kept-roots" aria-pressed={isByRoot} title="From variables, stacks and mappings down to what they hold" onClick={() => navigate({ kept: "roots", row: "" })}>From roots down</button>
                    <button type="button" id="kept-sites" aria-pressed={!isByRoot} title="From the places that allocated up to what holds their blocks" onClick={() => navigate({ kept: "sites", row: "" })}>From places up</button>
                </span>
                <Snapshots answer={answer} state={state} navigate={navigate} />
            </div>
            {asked.error && <p class="remark" role="alert">{asked.error}</p>}
            {about.base && <p class="quiet">Of {about.name} alone; <code>heaptap compare</code> says which roots hold more than before.</p>}
            {ignored.length > 0 && <p class="quiet" id="ignored">These are the blocks that were alive at the snapshot, chosen by their stacks: <code>{ignored.join(" ")}</code> is left out.</p>}
            {tree.rows.length === 0 && <p class="remark" role="status" id="nothing">{state.filter ? <>Nothing that was alive passes the filter <code>{state.filter}</code>: take one of its clauses away.</> : "Nothing was alive at the snapshot."}</p>}
            <TreeGrid label={`Kept by, ${bytes(answer.snapshot.bytes)}; arrows move and open`} rows={rows} at={state.row} toggle={toggle}
                select={({ held }, walked) => choose(held, walked)} open={({ held }) => held.function && navigate({ view: "sandwich", function: held.function, of: held.file })}
                head={
                    <>
                        <th class="number">Bytes</th>
                        <th class="number hide-narrow">%</th>
                        <th class="number hide-narrow">Blocks</th>
                        <th class="number" title="What would go with it: held through it alone">Retained</th>
                        {hasLost && <th class="number hide-narrow" title="That nothing holds any more">Lost</th>}
                        <th>{isByRoot ? "Root, and what it holds" : "Place, and what holds its blocks"}</th>
                    </>
                }
                cells={(row) => <Cells row={row} whole={answer.snapshot.bytes} hasLost={hasLost} isFound={isFound(row.held)} />} />
            <div class="caption">
                <span class="caption-text">
                    <Summary answer={answer} state={state} navigate={navigate} />
                    {tree.left > 0 && <span class="quiet"> {bytes(tree.left)} of lighter {isByRoot ? "roots" : "places"} are not listed.</span>}
                </span>
                <span class="buttons"><button type="button" onClick={save}>CSV</button></span>
            </div>
        </div>
    );
}

function Cells({ row, whole, hasLost, isFound }: { row: Row; whole: number; hasLost: boolean; isFound: boolean }) {
    const { held } = row;
    const { name, note } = row.note ? { name: "", note: row.note } : held.label;
    const sums = row.note ? { bytes: row.rest, blocks: null, retained: null, lost: 0 } : held;
    return (
        <>
            <td class="number" title={!row.note && held.bytes_low !== undefined ? `${bytes(held.bytes_low)} to ${bytes(held.bytes_high ?? 0)}` : undefined}>{sums.bytes !== null && bytes(sums.bytes)}</td>
            <td class="number hide-narrow">{sums.bytes !== null && percent(sums.bytes, whole)}</td>
            <td class="number hide-narrow">{sums.blocks !== null && count(sums.blocks)}</td>
            <td class="number">{sums.retained !== null ? bytes(sums.retained) : ""}</td>
            {hasLost && <td class="number hide-narrow">{sums.lost > 0 ? bytes(sums.lost) : ""}</td>}
            <td class="name mono" style={indentOf(row)}>
                <Fold row={row} />
                {isFound && !row.note ? <mark>{name}</mark> : name}
                {note && <span class="quiet"> {note}</span>}
            </td>
        </>
    );
}
