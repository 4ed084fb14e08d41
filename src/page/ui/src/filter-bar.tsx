// What is selected: the clauses of the filter, each a chip that can be changed and taken away, and a field for one more.

import { useEffect, useMemo, useState } from "preact/hooks";
import { type AnswerError, isReport } from "./api";
import { ClauseField } from "./clause-field";
import { ClauseForm } from "./clause-form";
import { clausesOf, helpOf, presets, withClause, withoutClause } from "./clauses";
import { Menu } from "./menu";
import { useSaved } from "./saved";
import { defaults } from "./state";
import { useTop } from "./functions";
import type { ViewProps } from "./view";

function Wrong({ filter, error }: { filter: string; error: AnswerError }) {
    const { offset, length } = error;
    return (
        <p class="remark wrong" role="alert" id="wrong">
            {offset !== undefined && length ? (
                <>
                    <code>{filter.slice(0, offset)}<mark>{filter.slice(offset, offset + length)}</mark>{filter.slice(offset + length)}</code>:{" "}
                </>
            ) : null}
            {error.message}
        </p>
    );
}

function Chips({ filter, apply, edit }: { filter: string; apply: (filter: string) => void; edit: (number: number) => void }) {
    return (
        <ul class="chips" aria-label="Clauses of the filter">
            {clausesOf(filter).map((clause, i) => (
                <li class="chip" key={`${i} ${clause}`}>
                    <button type="button" class="chip-text mono" title={`${helpOf(clause) || "no clause"}. Click to change it`} aria-label={`Change ${clause}`} onClick={() => edit(i)}
                        onKeyDown={(event) => (event.key === "Delete" || event.key === "Backspace") && apply(withoutClause(filter, i))}>{clause}</button>
                    <button type="button" class="chip-remove" aria-label={`Remove ${clause}`} onClick={() => apply(withoutClause(filter, i))}>×</button>
                </li>
            ))}
        </ul>
    );
}

function Presets({ filter, known, apply }: { filter: string; known: ReturnType<typeof presets>; apply: (filter: string) => void }) {
    const [saved, save] = useSaved();
    return (
        <select id="preset" aria-label="Preset" value="" onChange={(event) => {
            const choice = event.currentTarget.value;
            event.currentTarget.value = "";
            if (choice === "save") {
                const name = prompt("Keep this selection under which name?", filter);
                if (name) save({ ...saved, [name]: filter });
            } else if (choice === "forget") save({});
            else if (choice) apply(choice.slice(1));
        }}>
            <option value="">Presets…</option>
            {known.map(({ name, filter: text, note }) => <option key={name} value={"=" + text}>{name} – {note}</option>)}
            {Object.entries(saved).map(([name, text]) => <option key={"saved " + name} value={"=" + text}>★ {name}</option>)}
            <option value="save">Save this selection…</option>
            {Object.keys(saved).length > 0 && <option value="forget">Forget all saved</option>}
        </select>
    );
}

export function FilterBar({ about, state, navigate }: ViewProps) {
    const [text, set] = useState("");
    const [edited, setEdited] = useState(-1); // the clause that is in the field; -1: a new one
    const asked = useTop(about, state, 400, defaults.grain);
    const functions = useMemo(() => asked.answer?.nodes.map((node) => node.function).filter((name) => name) ?? [], [asked.answer]);
    const isTrace = about.kind === "trace";
    const apply = (filter: string) => navigate({ filter: filter.trim(), zoom: "" });
    const put = (clause: string) => {
        apply(edited < 0 ? withClause(state.filter, clause) : withoutClause(state.filter, edited, clause));
        set("");
        setEdited(-1);
    };
    const edit = (number: number) => {
        set(clausesOf(state.filter)[number] ?? "");
        setEdited(number);
        document.getElementById("filter")?.focus();
    };
    const leave = (back: boolean) => {
        const count = clausesOf(state.filter).length;
        if (back && edited < 0 && count > 0) edit(count - 1);
        else if (back && edited >= 0) put("");
        else if (!back) set(""), setEdited(-1);
    };
    useEffect(() => (set(""), setEdited(-1)), [state.filter]);
    const known = isTrace ? presets(about.duration_us, about.promotes) : [{ name: "everything", filter: "", note: "no filter" }];
    const wrong = asked.failure?.isOfFilter ? asked.failure : null;
    return (
        <>
            {isReport ? (
                <label class="field" title="A written page holds these selections; heaptap view takes any filter">
                    <span>Selection</span>
                    <select id="preset" title={known.find(({ filter }) => filter === state.filter)?.note} value={"=" + state.filter} onChange={(event) => apply(event.currentTarget.value.slice(1))}>
                        {known.map(({ name, filter, note }) => <option key={name} value={"=" + filter} title={note}>{name}</option>)}
                    </select>
                    <span>for others: heaptap view</span>
                </label>
            ) : (
                <div class="filter">
                    <Chips filter={state.filter} apply={apply} edit={edit} />
                    <ClauseField value={text} change={set} apply={put} leave={leave} functions={functions} isTrace={isTrace} wrong={!!wrong} isFirst={state.filter === ""} />
                    {text !== "" && <button type="button" id="apply" onClick={() => put(text)}>{edited < 0 ? "Add" : "Change"}</button>}
                    <Menu id="add-clause" label={<span title="Put a clause together by choosing">+</span>}>
                        <ClauseForm isTrace={isTrace} add={(clause) => apply(withClause(state.filter, clause))} />
                    </Menu>
                    <Presets filter={state.filter} known={known} apply={apply} />
                </div>
            )}
            {wrong && <Wrong filter={state.filter} error={wrong} />}
        </>
    );
}
