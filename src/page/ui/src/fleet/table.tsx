// The rows: who allocates how much, and what can be done with each.

import { bytes, percent } from "../format";
import { type Column, Table } from "../table";
import type { Theme } from "../theme";
import type { Service, Services } from "./answers";
import { colourOf } from "./colours";
import { Swatch, valuesOf } from "./chart";
import type { FleetState, Go } from "./state";

// A small curve, by itself.
function Curve({ values, colour }: { values: number[]; colour: string }) {
    const most = Math.max(1e-9, ...values);
    const points = values.map((amount, i) => `${((i + 0.5) / values.length) * 90},${17 - (amount / most) * 16}`).join(" ");
    return (
        <svg class="curve" width="90" height="18" aria-hidden="true">
            <polyline points={points} fill="none" stroke={colour} stroke-width="1.5" />
        </svg>
    );
}

export interface RowsProps {
    answer: Services;
    whole: Services | null; // the same of all, where only what leads through a place is counted
    theme: Theme;
    state: FleetState;
    go: Go;
    narrow: (name: string) => void; // to one row's value
    choose: (name: string) => void;
    asBase: (name: string) => void;
    isBase: (name: string) => boolean;
}

function error(row: Service) {
    if (row.allocated_standard_error === null) return "";
    const [low, high] = [row.allocated_low ?? null, row.allocated_high ?? null];
    const bounds = low !== null && high !== null ? `95 of 100 such ranges hold what was allocated: ${bytes(low)} to ${bytes(high)}` : undefined;
    return <span title={bounds}>± {bytes(row.allocated_standard_error)}</span>;
}

export function Rows({ answer, whole, theme, state, go, narrow, choose, asBase, isBase }: RowsProps) {
    const place = new Map(answer.services.map((row, i) => [row.name, i]));
    const own = new Map((whole?.services ?? []).map((row) => [row.name, row.allocated_bytes ?? 0]));
    const isRate = state.what === "allocated";
    const columns: Column<Service>[] = [
        {
            name: answer.label,
            narrow: true,
            value: (row) => row.name,
            show: (row) => (
                <>
                    <Swatch colour={colourOf(theme, place.get(row.name)!)} />{" "}
                    {row.name ? <button type="button" class="link" title={`Only ${answer.label}=${row.name}`} onClick={() => narrow(row.name)}>{row.name}</button> : <span class="quiet">(none)</span>}
                </>
            ),
        },
        { name: "allocated", number: true, narrow: true, value: (row) => row.allocated_bytes ?? 0, show: (row) => (row.allocated_bytes === null ? "" : bytes(row.allocated_bytes)) },
        { name: "error", title: "standard error of what is allocated", number: true, value: (row) => row.allocated_standard_error ?? 0, show: error },
        { name: "share", title: "part of what all rows allocate", number: true, value: (row) => row.share ?? 0, show: (row) => (row.share === null ? "" : percent(row.share, 1)) },
        ...(whole ? [{
            name: "of_own", label: "of its own", title: "part of all that the row allocates", number: true, narrow: true,
            value: (row: Service) => (own.get(row.name) ? (row.allocated_bytes ?? 0) / own.get(row.name)! : 0),
            show: (row: Service) => percent(row.allocated_bytes ?? 0, own.get(row.name) ?? 0),
        }] : []),
        { name: "in_use", label: "in use", title: "in use: the mean over the time that has profiles", number: true, value: (row) => row.in_use_bytes ?? 0, show: (row) => (row.in_use_bytes === null ? "" : bytes(row.in_use_bytes)) },
        { name: "series", title: "different sets of labels", number: true, value: (row) => row.series },
        { name: "profiles", number: true, value: (row) => row.profiles },
        { name: "curve", value: () => "", show: (row) => <Curve values={valuesOf(answer, row, isRate)} colour={colourOf(theme, place.get(row.name)!)} /> },
        {
            name: "look",
            label: "look at",
            value: () => "",
            show: (row) => row.name && (
                <span class="buttons">
                    <button type="button" aria-pressed={state.value === row.name} onClick={() => choose(state.value === row.name ? "" : row.name)}>Choose</button>
                    <button type="button" aria-pressed={isBase(row.name)} onClick={() => asBase(row.name)} title="Compare what is chosen with this">Base</button>
                </span>
            ),
        },
    ];
    return (
        <Table label={`By ${answer.label}`} file={`heaptap-${answer.label}`} columns={columns} rows={answer.services} sort={state.sort}
            setSort={(sort) => go({ sort }, true)} marked={(row) => row.name !== "" && row.name === state.value}>
            {answer.services.length === 0 && "No profile has these labels and times."}
        </Table>
    );
}
