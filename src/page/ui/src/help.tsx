import { allWords } from "./clauses";
import { useEffect, useRef } from "preact/hooks";

const keys: [string, string][] = [
    ["/", "search: a regular expression on functions and files"],
    ["n N", "the next match, the one before; also Enter and Shift+Enter in the search"],
    ["f", "the filter: a field for one more clause; Backspace goes back into the last chip, Delete takes one away"],
    ["[ ]", "the view before, the next one"],
    ["arrows, h j k l", "move along the tree, the table or the picture"],
    ["Enter", "zoom to what is marked; in a table, open it; on the timeline and a histogram, choose"],
    ["Shift+Enter, double click", "focus on the function: its callers and callees"],
    ["Esc", "zoom out; leave a field"],
    ["r", "forget zoom and search"],
    ["arrows", "on the timeline: what was alive a little earlier, later"],
    ["Shift+arrows", "on the timeline and a histogram: widen what is chosen"],
    ["+ -", "on the graph: nearer, further away"],
    ["Tab, Shift+Tab", "from the bars to the picture and what is below it; arrows go along the views"],
    ["wheel", "on the timeline and the graph: nearer, further away"],
    ["drag", "on the timeline: choose a range, a click a moment; on a histogram: choose sizes or lifetimes"],
    ["?", "this page"],
];

export function Help({ close }: { close: () => void }) {
    const dialog = useRef<HTMLDialogElement>(null);
    useEffect(() => dialog.current?.showModal(), []);
    return (
        <dialog ref={dialog} class="help" aria-label="Keys and words" onClose={close} onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
            <h2>Keys</h2>
            <table>
                {keys.map(([key, text]) => (
                    <tr key={key}>
                        <th scope="row"><kbd>{key}</kbd></th>
                        <td>{text}</td>
                    </tr>
                ))}
            </table>
            <h2>Filter</h2>
            <p>
                Clauses, all of which hold: <code>live-at=peak size&gt;=1k focus=parse</code>. The words: {allWords()}. They work on the command line, too: <code>heaptap help filters</code>.
            </p>
            <h2>Numbers</h2>
            <p>They are estimates from samples, exact where every allocation was recorded; the same as the commands print.</p>
            <form method="dialog"><button autofocus>Close</button></form>
        </dialog>
    );
}
