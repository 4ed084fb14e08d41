// What is selected: the clauses of the filter as chips, a form for one more, and presets.

import { useCallback, useMemo } from "preact/hooks";
import { isReport } from "./api";
import { Chips } from "./chips";
import { ClauseForm } from "./clause-form";
import { clausesOf, helpOf, presets, suggest, withClause } from "./clauses";
import { Menu } from "./menu";
import type { AnswerError } from "./refusals";
import { useSaved } from "./saved";
import { defaults } from "./state";
import { useTop } from "./functions";
import type { ViewProps } from "./view";

// Of a text, its part between two offsets in bytes.
function slice(text: string, from: number, to?: number): string {
    return new TextDecoder().decode(new TextEncoder().encode(text).slice(from, to));
}

function Wrong({ filter, error, shown }: { filter: string; error: AnswerError; shown: string }) {
    const { offset, length } = error;
    return (
        <p class="remark wrong" role="alert" id="wrong">
            {offset !== undefined && length ? (
                <>
                    <code>{slice(filter, 0, offset)}<mark>{slice(filter, offset, offset + length)}</mark>{slice(filter, offset + length)}</code>:{" "}
                </>
            ) : null}
            {error.message} <span id="still">{shown ? <>Until it is changed, the page shows <code>{shown}</code>.</> : "Until it is changed, the page shows everything."}</span>
        </p>
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

// `shown` is the filter whose answers the page has: another where the state's is wrong.
export function FilterBar({ about, state, navigate, shown, wrong }: ViewProps & { shown: string; wrong: AnswerError | null }) {
    const asked = useTop(about, { ...state, filter: shown }, 400, defaults.grain);
    const functions = useMemo(() => asked.answer?.nodes.map((node) => node.function).filter((name) => name) ?? [], [asked.answer]);
    const isTrace = about.kind === "trace";
    const apply = (filter: string) => navigate({ filter: filter.trim(), zoom: "" });
    const suggestions = useCallback((text: string, caret: number) => suggest(text, caret, functions, isTrace), [functions, isTrace]);
    const known = isTrace ? presets(about.duration_us, about.promotes) : [{ name: "everything", filter: "", note: "no filter" }];
    return (
        <>
            {isReport ? (
                <label class="field" title="A written page holds these selections; heaptap view takes any filter">
                    <span>Selection</span>
                    <select id="preset" title={known.find(({ filter }) => filter === state.filter)?.note} value={"=" + state.filter} onChange={(event) => apply(event.currentTarget.value.slice(1))}>
                        {known.map(({ name, filter, note }) => <option key={name} value={"=" + filter} title={note}>{name}</option>)}
                        <option disabled>others: heaptap view</option>
                    </select>
                </label>
            ) : (
                <div class="filter">
                    <Chips id="filter" label="Filter" clause="clause" everything="everything" list={clausesOf(state.filter)} apply={(list) => apply(list.join(" "))}
                        helpOf={(clause) => helpOf(clause) || "no clause"} suggest={suggestions} wrong={!!wrong} />
                    <Menu id="add-clause" label={<span title="Put a clause together by choosing">+</span>}>
                        <ClauseForm isTrace={isTrace} add={(clause) => apply(withClause(state.filter, clause))} />
                    </Menu>
                    <Presets filter={state.filter} known={known} apply={apply} />
                </div>
            )}
            {wrong && <Wrong filter={state.filter} error={wrong} shown={shown} />}
        </>
    );
}
