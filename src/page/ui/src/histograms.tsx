// Sizes and lifetimes of blocks on log scales; dragging over bars makes a clause of the filter.

import { withClause } from "./clauses";
import { useRef, useState } from "preact/hooks";
import { isReport, useAnswer } from "./api";
import { numbersOf } from "./columns";
import { bucket, bytesEdge, counted, duration, percent, value } from "./format";
import { change } from "./functions";
import { letterWidth, type Painter } from "./painter";
import { Picture } from "./picture";
import { useSpareHeight } from "./room";
import { Table } from "./table";
import { changeFill, type Theme } from "./theme";
import type { Column, Distribution, Distributions, Domain, Sum } from "./types";
import { reportQuestion } from "./report-answer";
import type { ViewProps } from "./view";

const HEIGHT = 230; // in a window of usual height
const LEFT = 8;
const BOTTOM = 20;

type Rows = Record<string, Column>;
type Answer = { all: Record<string, number>; unended: Record<string, number>; sizes: Rows; lifetimes: Rows; domains: Rows & { thread?: string[] } };

function sumOf(record: Record<string, number>): Sum {
    return { blocks: record.sampled_blocks, bytes: record.bytes, objects: record.objects };
}

// By row, of columns whose names begin alike.
function sumsOf(rows: Rows, prefix = ""): Sum[] {
    const [blocks, bytes, objects] = [prefix ? "live_blocks" : "sampled_blocks", `${prefix}bytes`, `${prefix}objects`].map((name) => numbersOf(rows[name]));
    return Array.from(bytes, (_, i) => ({ blocks: blocks[i], bytes: bytes[i], objects: objects[i] }));
}

function distributionOf(rows: Rows, unit: string): Distribution {
    const [from, below] = [`from_${unit}`, `below_${unit}`].map((name) => Array.from(numbersOf(rows[name])));
    return { edges: [...from, ...below.slice(-1)], bins: sumsOf(rows) };
}

function domainsIn(rows: Answer["domains"]): Domain[] {
    const [number, thread, all, live] = [numbersOf(rows.domain), numbersOf(rows.thread_id), sumsOf(rows), sumsOf(rows, "live_")];
    return all.map((sum, i) => ({ domain: number[i], name: rows.thread![i], thread: thread[i], all: sum, live: live[i] }));
}

export function distributionsOf(raw: never): Distributions {
    const answer = raw as Answer;
    return { all: sumOf(answer.all), unended: sumOf(answer.unended), sizes: distributionOf(answer.sizes, "bytes"), lifetimes: distributionOf(answer.lifetimes, "us"), domains: domainsIn(answer.domains) };
}

// Of the file and, where there is one, of the base; nothing until both are there.
function useDistributions({ about, state }: ViewProps) {
    const url = (file: number | string) => reportQuestion(about, { ...state, weight: "bytes" }, "distributions", { form: "columns", base: false, file: file || "" }, "");
    const asked = useAnswer(about.kind === "trace" ? url(state.file) : null, about.generation, distributionsOf);
    const base = useAnswer(about.kind === "trace" && about.base ? url("base") : null, about.generation, distributionsOf);
    const answer = asked.answer && (base.answer || !about.base) ? { ...asked.answer, base: about.base ? base.answer : null } : null;
    return { ...asked, answer, error: asked.error || base.error, waiting: asked.waiting || base.waiting };
}

type Answered = Distributions & { base: Distributions | null };

function weightOf(props: ViewProps): (sum: Sum) => number {
    const { weight } = props.state;
    return (sum) => (weight === "objects" ? sum.objects : weight === "samples" ? sum.blocks : sum.bytes);
}

interface HistogramProps {
    title: string;
    file: string;
    distribution: Distribution;
    base?: Distribution; // of the file compared with
    theme: Theme;
    amount: (sum: Sum) => number;
    unit: string;
    blocks: string; // what is counted in a bucket
    edge: (value: number) => string; // as people read it
    clause: (low: number, high: number) => string; // values from low to before high
    add: (clause: string) => void;
}

const nothing: Sum = { blocks: 0, bytes: 0, objects: 0 };

// A distribution with the bins of another besides: all of either's edges, which are cut alike.
function spanning(one: Distribution, other: Distribution): Distribution {
    const edges = [...new Set([...one.edges, ...other.edges])].sort((a, b) => a - b);
    const bins = new Map(one.bins.map((bin, i) => [one.edges[i], bin]));
    return { edges, bins: edges.slice(0, -1).map((edge) => bins.get(edge) ?? nothing) };
}

// Steps along the axis are bins; they are quarters of octaves, so the scale is logarithmic.
function Histogram({ title, file, distribution: now, base, theme, amount, unit, blocks, edge, clause, add }: HistogramProps) {
    const { edges, bins } = base ? spanning(now, base) : now;
    const before = base ? spanning(base, now).bins : null;
    const chosen = useRef<{ from: number; to: number } | null>(null);
    const [at, setAt] = useState<{ from: number; to: number } | null>(null);
    const tall = HEIGHT + Math.round(0.3 * useSpareHeight());
    const all = bins.reduce((sum, bin) => sum + amount(bin), 0);
    const most = Math.max(1e-9, ...bins.map(amount), ...(before ?? []).map(amount));
    const wide = (width: number) => (width - 2 * LEFT) / Math.max(1, bins.length);
    const bin = (x: number, width: number) => Math.max(0, Math.min(bins.length - 1, Math.floor((x - LEFT) / wide(width))));
    const draw = (painter: Painter, { width }: { width: number }) => {
        const step = wide(width);
        const range = chosen.current ?? at;
        bins.forEach((sum, i) => {
            const high = (amount(sum) / most) * (tall - BOTTOM - 18);
            const inside = range && i >= Math.min(range.from, range.to) && i <= Math.max(range.from, range.to);
            if (high > 0) painter.rect(LEFT + i * step, tall - BOTTOM - Math.max(1, high), Math.max(1, step - 1), Math.max(1, high), inside ? theme.accent : theme.ranks[0]);
        });
        before?.forEach((sum, i) => {
            const y = tall - BOTTOM - (amount(sum) / most) * (tall - BOTTOM - 18);
            const grew = amount(bins[i]) > amount(sum);
            if (amount(sum) !== amount(bins[i])) painter.rect(LEFT + i * step, Math.min(y, tall - BOTTOM - 2), Math.max(1, step - 1), 2, changeFill(theme, grew ? 0 : 1, grew ? 1 : 0));
        });
        painter.path([LEFT, tall - BOTTOM + 0.5, width - LEFT, tall - BOTTOM + 0.5], { stroke: theme.quiet });
        const every = Math.max(1, Math.ceil(64 / step));
        for (let i = 0; i < edges.length; i += every) {
            const x = LEFT + i * step;
            painter.path([x, tall - BOTTOM, x, tall - BOTTOM + 4], { stroke: theme.quiet });
            const label = edge(edges[i]);
            if (x + label.length * letterWidth(10) <= width) painter.text(x, tall - 8, label, { fill: theme.quiet, size: 10 });
        }
        painter.text(LEFT, 9, `fullest bucket: ${value(most, unit)}`, { fill: theme.quiet, size: 10 });
    };
    const apply = (from: number, to: number) => add(clause(edges[Math.min(from, to)], edges[Math.max(from, to) + 1]));
    const drag = (phase: "down" | "move" | "up", x: number, _y: number, width: number): boolean => {
        const now = bin(x, width);
        if (phase === "down") chosen.current = { from: now, to: now };
        else if (chosen.current) chosen.current.to = now;
        if (phase === "up" && chosen.current) {
            const { from, to } = chosen.current;
            chosen.current = null;
            apply(from, to);
        }
        return bins.length > 0;
    };
    const key = (event: KeyboardEvent) => {
        const by = { ArrowLeft: -1, h: -1, ArrowRight: 1, l: 1 }[event.key];
        const now = at ?? { from: 0, to: 0 };
        const clamp = (i: number) => Math.max(0, Math.min(bins.length - 1, i));
        if (by && event.shiftKey) setAt({ from: now.from, to: clamp(now.to + by) });
        else if (by) setAt({ from: clamp(now.to + by), to: clamp(now.to + by) });
        else if (event.key === "Enter" && at) apply(at.from, at.to);
        else if (event.key === "Escape") setAt(null);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const low = at ? Math.min(at.from, at.to) : 0;
    const high = at ? Math.max(at.from, at.to) : bins.length - 1;
    const sumIn = (list: Sum[]) => list.slice(low, high + 1).reduce((sum, one) => sum + amount(one), 0);
    return (
        <section class="histogram" data-sum={all}>
            <h2>{title}</h2>
            {bins.length === 0 ? <p class="quiet">Nothing of the selection has one.</p> : (
                <Picture label={isReport ? title : `${title}; drag, or arrows and Enter, to choose`} file={file} theme={theme} height={() => tall} draw={draw} drag={isReport ? undefined : drag} onKey={isReport ? undefined : key} tall
                    hit={(x, _y, width) => bin(x, width)} tip={(i) => i < bins.length && (
                        <>
                            <strong>{bucket(edges[i], edges[i + 1], edge)}</strong>
                            <div>{value(amount(bins[i]), unit)} ({percent(amount(bins[i]), all)}) in {counted(bins[i].blocks, blocks)}</div>
                            {before && <div>before {value(amount(before[i]), unit)} ({change(amount(before[i]), amount(bins[i]), unit)})</div>}
                        </>
                    )}>
                    {at ? `${bucket(edges[low], edges[high + 1], edge)}: ` : ""}
                    {value(sumIn(bins), unit)}{!at && <span class="quiet"> in {bins.length === 1 ? "one bucket" : `${bins.length} buckets`}, each from its left edge to below the next</span>}
                    {before && <>, before <span data-base={sumIn(before)}>{value(sumIn(before), unit)}</span> ({change(sumIn(before), sumIn(bins), unit)}); the lines across are the base's</>}
                </Picture>
            )}
        </section>
    );
}

export function Histograms(props: ViewProps) {
    const { about, state, navigate, theme } = props;
    const asked = useDistributions(props);
    const amount = weightOf(props);
    const unit = state.weight === "bytes" ? "bytes" : "count";
    const blocks = about.sample_rate === 1 ? "block" : "sampled block";
    const answer = asked.answer;
    const add = (word: string) => (clause: string) => navigate({ filter: withClause(state.filter.replace(new RegExp(`(^|\\s)${word}(=|<|>)\\S*`, "g"), "").trim(), clause), zoom: "" });
    if (about.kind !== "trace") return <p class="remark" role="status" data-answers="none">A profile has no sizes and lifetimes of single blocks.</p>;
    if (!answer) return <p class="quiet" role={asked.error ? "alert" : "status"}>{asked.error || "Counting…"}</p>;
    return (
        <div aria-busy={asked.waiting} data-answers={asked.url}>
            {asked.error && <p class="remark" role="alert">{asked.error}</p>}
            <div class="histograms">
                <Histogram title="Sizes" file={`heaptap-${about.name}-sizes`} distribution={answer.sizes} base={answer.base?.sizes} theme={theme} amount={amount} unit={unit} blocks={blocks} edge={bytesEdge} add={add("size")}
                    clause={(low, high) => `size=${low}..${high - 1}`} />
                <Histogram title="Lifetimes" file={`heaptap-${about.name}-lifetimes`} distribution={answer.lifetimes} base={answer.base?.lifetimes} theme={theme} amount={amount} unit={unit} blocks={blocks} edge={(us) => duration(us * 1e-6)} add={add("lifetime")}
                    clause={(low, high) => `lifetime=${low}us..${high - 1}us`} />
            </div>
            {answer.unended.blocks > 0 && <p>Alive at the end, with no lifetime yet: {value(amount(answer.unended), unit)} ({percent(amount(answer.unended), amount(answer.all))})</p>}
        </div>
    );
}

type DomainRow = Domain & { before?: Sum };

// The domains of both files, by number.
function domainsOf(answer: Answered): DomainRow[] {
    if (!answer.base) return answer.domains;
    const before = new Map(answer.base.domains.map((domain) => [domain.domain, domain]));
    const known = new Set(answer.domains.map(({ domain }) => domain));
    const gone = answer.base.domains.filter(({ domain }) => !known.has(domain)).map((domain) => ({ ...domain, all: nothing, live: nothing, before: domain.all }));
    return [...answer.domains.map((domain) => ({ ...domain, before: before.get(domain.domain)?.all ?? nothing })), ...gone];
}

export function Domains(props: ViewProps) {
    const { about, state, navigate } = props;
    const asked = useDistributions(props);
    const amount = weightOf(props);
    const unit = state.weight === "bytes" ? "bytes" : "count";
    const answer = asked.answer;
    if (about.kind !== "trace") return <p class="remark" role="status" data-answers="none">A profile has no domains and threads.</p>;
    if (!answer) return <p class="quiet" role={asked.error ? "alert" : "status"}>{asked.error || "Counting…"}</p>;
    const total = amount(answer.all);
    const rows = domainsOf(answer);
    return (
        <div aria-busy={asked.waiting} data-answers={asked.url}>
            <Table<DomainRow> label="Domains and threads" file={`heaptap-${about.name}-domains`} rows={rows} sort={state.sort || "-weight"} setSort={(sort) => navigate({ sort })}
                open={isReport ? undefined : (row) => navigate({ filter: withClause(state.filter.replace(/(^|\s)domain=\S*/g, "").trim(), `domain=${row.domain}`), zoom: "" })}
                columns={[
                    { name: "domain", number: true, value: (row) => row.domain },
                    { name: "weight", title: "what it allocated", number: true, narrow: true, value: (row) => amount(row.all), show: (row) => value(amount(row.all), unit) },
                    ...(answer.base ? [{ name: "change", title: "against the base", number: true, narrow: true, value: (row: DomainRow) => amount(row.all) - amount(row.before!), show: (row: DomainRow) => change(amount(row.before!), amount(row.all), unit) }] : []),
                    { name: "share", number: true, value: (row) => (total ? (100 * amount(row.all)) / total : 0), show: (row) => percent(amount(row.all), total) },
                    { name: "alive", title: "what is alive at the end", number: true, value: (row) => amount(row.live), show: (row) => value(amount(row.live), unit) },
                    { name: "samples", number: true, value: (row) => row.all.blocks },
                    { name: "thread", value: (row) => [row.name, row.thread || ""].filter((text) => text).join(" ") },
                ]}>
                <span data-total={total}>{value(total, unit)}</span>{answer.base && <>, before <span data-base={amount(answer.base.all)}>{value(amount(answer.base.all), unit)}</span></>} by {rows.length === 1 ? "one domain or thread" : `${rows.length} domains or threads`}{isReport ? "" : "; a click adds one to the filter"}
            </Table>
        </div>
    );
}
