// One process: everything about it, with reasons, in a dialog above the page.

import { byId, setClass, setText } from "./dom.js";
import { showSections } from "./sections.js";

let pid = null, asking = null; // what is shown, and what a running request is about; null: nothing
let opening = false; // the dialog is opened when there is an answer

function show(wanted, { name, sections }) {
	setText(byId("process-title"), `Process ${wanted}${name ? `  ${name}` : ""}`);
	setClass(byId("process-sections"), "");
	showSections(byId("process-sections"), sections);
}

// The last readings stay, in grey.
function showExited(wanted) {
	setText(byId("process-title"), `Process ${wanted} has exited`);
	setClass(byId("process-sections"), "exited");
}

async function update(wanted) {
	const answer = await fetch(`/page/process?pid=${wanted}`);
	if (!answer.ok && answer.status !== 404)
		throw new Error(`process ${wanted}: ${answer.status}`);
	const next = answer.ok ? await answer.json() : null;
	if (pid !== wanted)
		return;
	if (next)
		show(wanted, next);
	else
		showExited(wanted);
	if (opening && !byId("process").open)
		byId("process").showModal(); // with its content, so that nothing moves afterwards
	opening = false;
}

// The latest sample of the process that is shown; called for each event of the stream.
export async function updateProcess() {
	const wanted = pid;
	if (wanted === null || wanted === asking)
		return;
	asking = wanted;
	try {
		await update(wanted);
	} catch {
		// The stream says that the connection is lost, and when it is back.
	}
	if (asking === wanted)
		asking = null;
}

export function openProcess(wanted) {
	pid = wanted;
	opening = true;
	showSections(byId("process-sections"), []);
	updateProcess();
}

export const processIsOpen = () => byId("process").open;

export function closeProcess() {
	byId("process").close();
}

// onClose: called with the pid when the dialog was closed.
export function startProcess(onClose) {
	const dialog = byId("process");
	byId("process-close").addEventListener("click", closeProcess);
	dialog.addEventListener("click", ({ target }) => {
		if (target === dialog) // beside it
			closeProcess();
	});
	dialog.addEventListener("close", () => {
		onClose(pid);
		if (!opening) // again, before this event
			pid = null;
	});
}
