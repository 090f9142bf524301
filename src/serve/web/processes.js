// The table of processes: sorted, filtered. Enter, a click or a tap on a row shows all about its process.

import { byId, fill, make, setClass, setText, setTitle } from "./dom.js";
import { filterHolds, parseFilter } from "./filter.js";
import { openProcess, startProcess } from "./process.js";

const CHARACTER = 8, PADDING = 12, COMMAND = 180; // pixels

let about, order, shown = { columns: [], processes: [] }, terms = [];
let current; // the pid of the row that Tab reaches; arrow keys move from there

// The same rule as on the full screen: unknown values are last in both directions.
function compare(a, b, { column, down }) {
	const { key, kind } = about.columns[column], left = a.cells[column], right = b.cells[column];
	const text = kind === "text" && key !== "dev";
	const known = (cell) => text ? key === "command" || cell.length < 3 : cell[1] !== null;
	if (!known(left) || !known(right))
		return known(right) - known(left);
	const [x, y] = text ? [left[0], right[0]] : [left[1], right[1]];
	return (x > y) - (x < y) ? ((x > y) - (x < y)) * (down ? -1 : 1) : 0;
}

const pidColumn = () => about.columns.findIndex(({ key }) => key === "pid");

function sorted(processes) {
	const pid = pidColumn();
	return processes.sort((a, b) => compare(a, b, order[0]) || compare(a, b, order[1]) ||
		(a.cells[pid][1] ?? 0) - (b.cells[pid][1] ?? 0));
}

function choose(column) {
	if (order[0].column === column)
		order[0].down = !order[0].down;
	else
		order = [{ column, down: about.columns[column].down }, order[0]];
	draw();
}

function widthOf({ width, title }) {
	return Math.max(width, title.length + 2) * CHARACTER + PADDING;
}

function makeHeading(column) {
	const button = make("button"), heading = make("th", "", button);
	heading.scope = "col";
	button.type = "button";
	button.addEventListener("click", () => choose(Number(heading.dataset.column)));
	return heading;
}

function updateHeading(heading, i) {
	const column = about.columns[i], first = order[0].column === i;
	heading.dataset.column = String(i);
	setClass(heading, column.right ? "right" : "");
	heading.style.width = column.key === "command" ? "" : `${widthOf(column)}px`;
	heading.setAttribute("aria-sort", first ? (order[0].down ? "descending" : "ascending") : "none");
	setText(heading.firstChild, column.title + (first ? (order[0].down ? " ▾" : " ▴") : ""));
	setTitle(heading.firstChild, `${column.key}: ${column.help}`);
}

function updateCell(cell, [i, [text, , reason]]) {
	const column = about.columns[i];
	setText(cell.firstElementChild ?? cell, text);
	setClass(cell, `${column.right ? "right" : ""}${reason ? " unknown" : ""}`);
	setTitle(cell, reason ? `${text}: ${reason}` : text);
}

// The first column is always the pid.
function makeRow() {
	const button = make("button");
	button.type = "button";
	button.setAttribute("aria-haspopup", "dialog");
	return make("tr", "", make("td", "", button));
}

function updateRow(row, { cells, used, pid }) {
	row.dataset.pid = String(pid);
	fill(row, used.map((i) => [i, cells[i]]), () => make("td"), updateCell);
}

// Of the row that has it; -1: none has.
const placeOfFocus = () => [...byId("processes").children].indexOf(document.activeElement?.closest("#processes tr"));
const buttonOf = (row) => row.querySelector("button");

// Rows are filled again in another order: the focus follows its process. Of one that has gone, the row at its place gets it.
function keepFocus(place) {
	const rows = [...byId("processes").children];
	const row = rows.find(({ dataset }) => dataset.pid === current) ?? rows[Math.min(Math.max(place, 0), rows.length - 1)];
	for (const other of rows)
		buttonOf(other).tabIndex = other === row ? 0 : -1;
	if (place >= 0)
		(row ? buttonOf(row) : byId("columns").closest(".scroll")).focus({ preventScroll: true });
}

// Those with the highest rank are left out first, as on the full screen; the command needs some room.
function chooseColumns() {
	const room = byId("columns").closest(".scroll").clientWidth - COMMAND;
	let used = shown.columns.flatMap((is, i) => is ? [i] : []);
	const needed = () => used.reduce((sum, i) => sum + (about.columns[i].key === "command" ? 0 : widthOf(about.columns[i])), 0);
	for (;;) {
		const worst = Math.max(0, ...used.map((i) => about.columns[i].rank));
		if (needed() <= room || worst <= 0)
			return used;
		const last = used.findLast((i) => about.columns[i].rank === worst);
		used = used.filter((i) => i !== last);
	}
}

function draw() {
	const used = chooseColumns();
	const list = sorted(shown.processes.filter((process) => filterHolds(terms, process, about)));
	const place = placeOfFocus();
	fill(byId("columns"), used, makeHeading, updateHeading);
	fill(byId("processes"), list.map(({ cells }) => ({ cells, used, pid: cells[pidColumn()][1] })), makeRow, updateRow);
	keepFocus(place);
	const hidden = shown.processes.length - list.length;
	setText(byId("count"), hidden ? `${list.length}, ${hidden} hidden` : String(list.length));
}

// A filter that is wrong changes nothing; what is wrong is shown.
function readFilter() {
	const parsed = parseFilter(byId("filter").value, about);
	setText(byId("problem"), parsed.problem ?? "");
	byId("filter").setAttribute("aria-invalid", String(parsed.problem !== undefined));
	terms = parsed.terms ?? terms;
	draw();
}

// A text that is being selected is no click.
function click({ target }) {
	const row = target.closest("tr");
	if (!row || (!target.closest("button") && !getSelection().isCollapsed))
		return;
	current = row.dataset.pid;
	openProcess(current);
}

const MOVES = {
	ArrowUp: (i) => i - 1, ArrowDown: (i) => i + 1, PageUp: (i) => i - 10, PageDown: (i) => i + 10,
	Home: () => 0, End: () => Infinity,
};

function press(event) {
	const rows = [...byId("processes").children], at = rows.indexOf(event.target.closest("tr"));
	if (!Object.hasOwn(MOVES, event.key) || event.ctrlKey || event.altKey || event.metaKey || at < 0)
		return;
	const to = Math.min(Math.max(MOVES[event.key](at), 0), rows.length - 1);
	buttonOf(rows[to]).focus();
	event.preventDefault();
}

export function startProcesses(description) {
	const column = (key) => description.columns.findIndex((other) => other.key === key);
	about = description;
	order = [{ column: column("dram"), down: true }, { column: column("pid"), down: false }];
	byId("filter").addEventListener("input", readFilter);
	byId("processes").addEventListener("click", click);
	byId("processes").addEventListener("keydown", press);
	byId("processes").addEventListener("focusin", ({ target }) => {
		current = target.closest("tr").dataset.pid;
		keepFocus(-1);
	});
	startProcess((pid) => {
		current = pid; // not the one that is at its place now
		keepFocus(placeOfFocus());
	});
}

export function redrawProcesses() {
	if (about)
		draw();
}

export function showProcesses(document) {
	shown = document;
	draw();
}
