// The page of heaptap fleet serve: what is looked at is in the URL (state.ts), what is known comes from the store (answers.ts).

import { render } from "preact";
import { Fleet } from "./app";

const page = document.getElementById("page")!;
page.textContent = "";
render(<Fleet />, page);
