// The reports of the command line: their options as controls, their answers as tables.  Which there are, what they take and
// what their columns are comes from the server, so a new report is here by itself.

import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { question, useAnswer } from "./api";
import { bytes, count, duration, percent, value } from "./format";
import { Menu } from "./menu";
import { escaped, sampleOf } from "./report-answer";
import { type Column, Table } from "./table";
import type { ViewProps } from "./view";

interface Option {
    word: string;
    kind: "flag" | "text" | "number" | "share" | "word";
    value: string | null; // what help calls its value
    help: string;
    values: string[]; // of a word
}

interface ColumnAbout {
    key: string;
    title: string | null;
    kind: string;
    help: string;
}

interface TableAbout {
    key: string | null; // null: members of what is around it
    shape: "rows" | "list" | "pairs" | "record";
    help: string | null;
    columns: ColumnAbout[];
}

interface Report {
    name: string;
    summary: string;
    needs_blocks: boolean;
    needs_function: boolean;
    options: Option[];
    tables: TableAbout[];
}

type Row = Record<string, unknown>;

// ---- Values --------------------------------------------------------------------------------

const levels = " ▁▂▃▄▅▆▇█";

function series(numbers: number[]): string {
    const most = Math.max(...numbers.map(Math.abs), 0);
    return numbers.map((number) => levels[most > 0 ? Math.ceil((8 * Math.abs(number)) / most) : 0]).join("");
}

function shown(cell: unknown, kind: string, unit: string): string {
    if (cell === null || cell === undefined) return "";
    if (Array.isArray(cell)) return series(cell as number[]);
    if (typeof cell === "boolean") return cell ? "yes" : "";
    if (typeof cell !== "number") return String(cell);
    switch (kind) {
        case "bytes": return bytes(cell);
        case "count": return count(cell);
        case "share": case "change of a share": return percent(cell, 1);
        case "microseconds": return duration(cell * 1e-6);
        case "value": case "change of a value": return value(cell, unit);
        default: return cell.toLocaleString("en");
    }
}

// Columns of which something is known, names first: what says the same as a name, or how deep it stands, is seen in it.
function seen(table: TableAbout, rows: Row[]): [ColumnAbout[], string | undefined] {
    const known = table.columns.filter(({ key }) => rows.some((row) => row[key] !== null && row[key] !== undefined));
    const name = known.find(({ key }) => key === "name");
    const rest = known.filter(({ key }) => key !== "name" && key !== "parent" && key !== "depth" && !(name && key === "function"));
    return [name ? [name, ...rest] : rest, (name ?? known.find(({ key }) => key === "function"))?.key];
}

const INDENTED_MOST = 30; // steps; deeper names would leave no room for figures

function columnsOf(table: TableAbout, rows: Row[], unit: string): Column<Row>[] {
    const [known, first] = seen(table, rows);
    return known.map(({ key, kind, help }) => ({
        name: key,
        label: key.replace(/_us$/, "").replaceAll("_", " "),
        title: help,
        number: kind !== "text" && kind !== "numbers" && kind !== "true or false",
        narrow: kind === "bytes" || kind === "value",
        value: (row) => (typeof row[key] === "number" ? (row[key] as number) : String(row[key] ?? "")),
        show: (row) => (key === first && typeof row.depth === "number" ? <span style={{ paddingLeft: `${Math.min(row.depth, INDENTED_MOST) * 0.6}em` }}>{shown(row[key], kind, unit)}</span> : shown(row[key], kind, unit)),
    }));
}

// Records within rows become columns of these: "live bytes".
function flat(table: TableAbout, rows: Row[], records: TableAbout[]): [TableAbout, Row[]] {
    const held = records.filter(({ key }) => key !== null && rows.some((row) => typeof row[key] === "object" && row[key] !== null && !Array.isArray(row[key])));
    if (held.length === 0) return [table, rows];
    const columns = held.flatMap((record) => record.columns.map((column) => ({ ...column, key: `${record.key} ${column.key}`, help: `${record.help ?? record.key}: ${column.help}` })));
    const wide = rows.map((row) => ({
        ...row,
        ...Object.fromEntries(held.flatMap((record) => record.columns.map(({ key }) => [`${record.key} ${key}`, (row[record.key!] as Row | null)?.[key]]))),
    }));
    return [{ ...table, columns: [...table.columns, ...columns] }, wide];
}

// ---- An answer -----------------------------------------------------------------------------

// What the page says elsewhere.
const elsewhere = new Set(["schema", "trace", "complete", "executable", "pid", "sample_rate", "sample_type", "unit", "granularity", "filter", "by"]);

function Facts({ table, of, unit }: { table: TableAbout; of: Row; unit: string }) {
    const known = table.columns.filter(({ key }) => of[key] !== null && of[key] !== undefined && !elsewhere.has(key));
    if (known.length === 0) return null;
    return (
        <p class="quiet" data-record={table.key ?? ""}>
            {known.map(({ key, kind, help, title }, i) => <span key={key} title={help}>{i > 0 ? " · " : ""}{title ?? key.replaceAll("_", " ")}: {shown(of[key], kind, unit)}</span>)}
        </p>
    );
}

// A table, and below it what stands in the row that is open.
function Rows({ table, rows, within, unit, file }: { table: TableAbout; rows: Row[]; within: TableAbout[]; unit: string; file: string }) {
    const [sort, setSort] = useState("");
    const [at, open] = useState(0);
    const inner = within.filter(({ key }) => key !== null && rows.some((row) => Array.isArray(row[key]) && (row[key] as unknown[]).length > 0));
    const marked = rows[Math.min(at, rows.length - 1)];
    return (
        <section data-table={table.key ?? ""}>
            <Table label={table.help ?? table.key ?? ""} file={file} columns={columnsOf(table, rows, unit)} rows={rows} sort={sort} setSort={setSort}
                open={inner.length > 0 ? (row) => open(rows.indexOf(row)) : undefined} marked={inner.length > 0 ? (row) => row === marked : undefined}>
                {count(rows.length)} {rows.length === 1 ? "row" : "rows"}{table.help && <span class="quiet">: each {table.help}</span>}
            </Table>
            {marked && inner.map((of) => (
                <div class="within" key={of.key}>
                    <h2>{of.key}</h2>
                    <Rows table={of} rows={(marked[of.key!] as Row[] | undefined) ?? []} within={within.filter((other) => other !== of)} unit={unit} file={`${file}-${of.key}`} />
                </div>
            ))}
        </section>
    );
}

function Answer({ report, answer, file }: { report: Report; answer: Row; file: string }) {
    const unit = typeof answer.unit === "string" ? answer.unit : "count";
    const outer = report.tables.filter(({ key, shape }) => key !== null && shape === "rows" && Array.isArray(answer[key]));
    const within = report.tables.filter((table) => table.shape === "rows" && !outer.includes(table));
    const records = report.tables.filter(({ key, shape }) => key !== null && shape === "record");
    const held = records.flatMap(({ key }) => {
        const of = answer[key!] as Row | undefined;
        return within.filter((table) => Array.isArray(of?.[table.key!])).map((table) => ({ title: key!, table, rows: of![table.key!] as Row[] }));
    });
    return (
        <>
            {report.tables.filter(({ shape }) => shape === "record").map((table, i) => {
                const of = (table.key === null ? answer : answer[table.key]) as Row | undefined;
                return of && <Facts key={i} table={table} of={of} unit={unit} />;
            })}
            {outer.map((table) => <Rows key={table.key} table={table} rows={answer[table.key!] as Row[]} within={within} unit={unit} file={`${file}-${table.key}`} />)}
            {held.map(({ title, table, rows }) => {
                const [wide, values] = flat(table, rows, records);
                return <Fragment key={title}>{held.length > 1 && <h2>{title}</h2>}<Rows table={wide} rows={values} within={[]} unit={unit} file={`${file}-${title}`} /></Fragment>;
            })}
        </>
    );
}

// ---- What is asked -------------------------------------------------------------------------

// What is typed stays while an answer arrives; what the URL says comes in its place only when that changes.
function Typed({ name, text, hint, set }: { name: string; text: string; hint: string; set: (text: string) => void }) {
    const [typed, type] = useState(text);
    useEffect(() => type(text), [text]);
    return <input name={name} size={6} value={typed} placeholder={hint} onInput={(event) => type(event.currentTarget.value)} onChange={(event) => set(event.currentTarget.value.trim())} />;
}

function Control({ option, text, set }: { option: Option; text: string; set: (text: string) => void }) {
    if (option.kind === "flag")
        return <label class="field" title={option.help}><input type="checkbox" name={option.word} checked={text === "1"} onChange={(event) => set(event.currentTarget.checked ? "1" : "")} />{option.word}</label>;
    return (
        <label class="field" title={option.help}>
            <span>{option.word}</span>
            {option.kind === "word" ? (
                <select name={option.word} value={text} onChange={(event) => set(event.currentTarget.value)}>
                    <option value="">usual</option>
                    {option.values.map((word) => <option key={word} value={word}>{word}</option>)}
                </select>
            ) : (
                <Typed name={option.word} text={text} hint={option.value ?? ""} set={set} />
            )}
        </label>
    );
}

export function Reports({ about, state, navigate }: ViewProps) {
    const known = useAnswer(question("/api/reports"), 0, (raw: never) => (raw as { reports: Report[] }).reports);
    const reports = (known.answer ?? []).filter((report) => !report.needs_blocks || about.kind === "trace");
    const report = reports.find(({ name }) => name === state.report) ?? reports[0];
    const options = new URLSearchParams(state.options);
    const pattern = options.get("function") ?? (state.function ? `^${escaped(state.function)}$` : "");
    const taken = report?.options.filter(({ word }) => word !== "sample") ?? [];
    const parameters: Record<string, string | number> = { report: report?.name ?? "", file: state.file || "", filter: state.filter };
    for (const { word } of taken) parameters[word] = options.get(word) ?? "";
    if (report?.needs_function) parameters.function = pattern;
    if (report?.options.some(({ word }) => word === "sample")) parameters.sample = sampleOf(about, report.name === "leaks" ? { ...state, quantity: "live" } : state); // leaks are always of what is left
    const isAsked = report && (!report.needs_function || pattern);
    const url = isAsked ? question("/api/answer", parameters) : null;
    const asked = useAnswer(url, about.generation, (raw: never) => ({ of: report!.name, answer: raw as Row }));
    const isMissed = !!report?.needs_function && asked.answer !== null && Object.keys(asked.answer.answer).length === 0;
    const set = (word: string, text: string) => {
        text ? options.set(word, text) : options.delete(word);
        navigate({ options: options.toString() });
    };
    const controls = taken.map((option) => <Control key={option.word} option={option} text={options.get(option.word) ?? ""} set={(text) => set(option.word, text)} />);
    const isNarrow = matchMedia("(max-width: 640px)").matches;
    if (known.error) return <p class="remark" role="alert">{known.error}</p>;
    if (!report) return <p class="quiet" role="status">Asking…</p>;
    const isBusy = asked.waiting || (url !== null && asked.url !== url);
    return (
        <div class={isBusy ? "reports busy" : "reports"} aria-busy={isBusy} data-answers={asked.url} data-report={report.name}>
            <div class="bar">
                <label class="field">
                    <span>Report</span>
                    <select id="report" value={report.name} onChange={(event) => navigate({ report: event.currentTarget.value, options: "" })}>
                        {reports.map(({ name, summary }) => <option key={name} value={name} title={summary}>{name}</option>)}
                    </select>
                </label>
                {report.needs_function && <label class="field" title="A regular expression of functions' names"><span>functions</span><Typed name="function" text={pattern} hint="" set={(text) => set("function", text)} /></label>}
                {isNarrow && taken.length > 0 ? <Menu id="options" label={options.size > 0 ? `Options (${options.size})` : "Options"}>{controls}</Menu> : controls}
            </div>
            <p class="quiet">{report.summary}; the same as <code>heaptap {report.name}</code>.</p>
            {asked.error && <p class="remark" role="alert">{asked.error}</p>}
            {!isAsked && <p class="quiet">Which functions? A regular expression of their names.</p>}
            {isAsked && isMissed && <p class="remark" role="status">No function matches.</p>}
            {isAsked && asked.answer?.of === report.name && !asked.error && !isMissed && <Answer report={report} answer={asked.answer.answer} file={`heaptap-${about.name}-${report.name}`} />}
        </div>
    );
}
