// A function line by line, with its source where heaptap view finds it.

import { isReport, useAnswer } from "./api";
import { percent, value } from "./format";
import { change, FunctionField } from "./functions";
import { functionPattern, reportQuestion, sourceOf } from "./report-answer";
import { type Column, Table } from "./table";
import type { Routine, Shown, SourceLine } from "./types";
import { doubtOf, useVerdicts, VerdictLine } from "./verdicts";
import { unitOf, type ViewProps } from "./view";

// Why a routine has no source, and what to do.
export function Sourceless({ about }: { about: Shown }) {
    if (isReport) return <p class="quiet">This page was written without that file.</p>;
    if (about.home) return <p class="quiet">The server has no such file: <code>heaptap fleet serve --source-path FOLDERS</code> says where sources are.</p>;
    return <p class="quiet">The file isn't below the folder where heaptap view was started: <code>--source-path FOLDERS</code> says where; no others are read.</p>;
}

export function isHottest(routine: Routine, line: SourceLine): boolean {
    return line.cum > 0 && line.cum >= Math.max(...routine.lines.map((one) => Math.abs(one.cum))) / 2;
}

export function Source(props: ViewProps) {
    const { about, state } = props;
    const url = state.function ? reportQuestion(about, state, "list", { function: functionPattern(state.function, "$") }, "") : null;
    const asked = useAnswer(url, about.generation, sourceOf(about, state), `${state.weight} ${state.function} ${state.of}`);
    const answer = url ? asked.answer : null;
    const verdicts = useVerdicts(about, state, !!answer, "line");
    const unit = unitOf(about, state);
    const doubt = (routine: Routine, line: SourceLine) => doubtOf(verdicts, routine.function, routine.file, line.line);
    const columns = (routine: Routine): Column<SourceLine>[] => [
        { name: "flat", number: true, narrow: true, value: (line) => line.flat, show: (line) => (line.flat ? value(line.flat, unit) : "") },
        { name: "cum", number: true, narrow: true, value: (line) => line.cum, show: (line) => (line.cum ? value(line.cum, unit) : "") },
        { name: "cum %", number: true, value: (line) => (answer?.total ? (100 * line.cum) / answer.total : 0), show: (line) => (line.cum ? percent(line.cum, answer?.total ?? 0) : "") },
        ...(about.base ? [{ name: "change", title: "against the base", number: true, narrow: true, value: (line: SourceLine) => line.cum - (line.base_cum ?? 0), show: (line: SourceLine) => (line.cum || line.base_cum ? <>{change(line.base_cum ?? 0, line.cum, unit, doubt(routine, line))} {doubt(routine, line)}</> : "") }] : []),
        { name: "line", number: true, narrow: true, value: (line) => line.line },
        { name: "source", value: (line) => line.text ?? "", show: (line) => <code class="source">{line.text ?? ""}</code> },
    ];
    return (
        <div aria-busy={asked.waiting} data-answers={url ? asked.url : "none"}>
            <FunctionField {...props} />
            {asked.error && <p class="remark" role="alert">{asked.error}</p>}
            {!url && <p class="quiet">Which function? Type its name, or choose one in Top, the call tree or a picture.</p>}
            {answer && answer.routines.length === 0 && <p class="remark" role="status">Nothing of the selection comes through {state.function}.</p>}
            <VerdictLine verdicts={verdicts} />
            {answer?.routines.map((routine) => (
                <section key={routine.file} class="lines">
                    <h2><span class="long" title={routine.function}>{routine.function}</span> <span class="quiet">{routine.file}</span></h2>
                    {!routine.found && <Sourceless about={about} />}
                    <Table label={`Lines of ${routine.function}`} file={`heaptap-${about.name}-source`} columns={columns(routine)} rows={routine.lines} sort="" setSort={() => {}} doubted={(line) => doubt(routine, line)} marked={(line) => isHottest(routine, line)} />
                </section>
            ))}
        </div>
    );
}
