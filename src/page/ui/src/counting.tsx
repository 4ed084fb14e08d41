// How what is selected is counted: what, by which name, from where; in one menu, whose button says what is chosen.

import { isReport } from "./api";
import { Menu } from "./menu";
import { typeOf } from "./report-answer";
import type { Navigate, State } from "./state";
import { ordered, type ViewProps } from "./view";

function Choice<K extends "quantity" | "weight" | "grain" | "direction" | "order">({ name, label, options, state, navigate }: {
    name: K;
    label: string;
    options: [State[K], string][];
    state: State;
    navigate: Navigate;
}) {
    return (
        <label class="field">
            <span>{label}</span>
            <select id={name} value={state[name]} onChange={(event) => navigate({ [name]: event.currentTarget.value } as Partial<State>)}>
                {options.map(([value, text]) => (
                    <option key={value} value={value}>{text}</option>
                ))}
            </select>
        </label>
    );
}

const quantities: [State["quantity"], string][] = [["allocated", "allocated"], ["live", "alive at the end"], ["collected", "collected"], ["promoted", "promoted"]];

const weights: [State["weight"], string][] = [["bytes", "bytes"], ["objects", "objects"], ["samples", "samples"]]; // samples where not each byte is one

export function Counting({ about, state, navigate }: ViewProps) {
    const type = about.types ? typeOf(about, state) : 0;
    const what = about.types ? about.types[type].type : `${state.weight} ${quantities.find(([name]) => name === state.quantity)![1]}`;
    return (
        <Menu id="counting" label={<><span class="quiet hide-narrow">Count </span>{what}<span class="quiet"> by</span> {state.grain}</>}>
            {about.types ? (
                <label class="field">
                    <span>Count</span>
                    <select id="type" value={type} onChange={(event) => navigate({ type: Number(event.currentTarget.value), zoom: "" })}>
                        {about.types.map((one, i) => <option key={i} value={i}>{one.type}</option>)}
                    </select>
                </label>
            ) : (
                <>
                    <Choice name="weight" label="Count" state={state} navigate={navigate} options={weights.filter(([name]) => name !== "samples" || about.sample_rate !== 1 || state.weight === name)} />
                    {isReport ? <p class="quiet">Of what was allocated: a written page has its selections for the rest.</p> : <Choice name="quantity" label="of what was" state={state} navigate={navigate} options={quantities} />}
                </>
            )}
            {isReport && state.view === "graph" ? <p class="quiet">A written page has its graph by function.</p> : <Choice name="grain" label="By" state={state} navigate={navigate} options={[["function", "function"], ["line", "line"], ["file", "file"], ["name", "name"]]} />}
            <Choice name="direction" label="From" state={state} navigate={navigate} options={[["down", "main"], ["up", "allocations"]]} />
            {ordered.has(state.view) && <Choice name="order" label="Order" state={state} navigate={navigate} options={[["name", "by name"], ["weight", "by weight"]]} />}
            <label class="field check">
                <input id="recursion" type="checkbox" checked={state.recursion} onChange={(event) => navigate({ recursion: event.currentTarget.checked, zoom: "" })} />
                <span>merge recursion</span>
            </label>
        </Menu>
    );
}
