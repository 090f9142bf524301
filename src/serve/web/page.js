// The page: one document per sample, from the server's stream. It says when the connection is lost.

import { openDevice, redrawDevice, updateDevice } from "./device.js";
import { focusTile, markTile, moveFocus, showDevices, showFindings, showPools } from "./devices.js";
import { byId, setClass, setText } from "./dom.js";
import { closeProcess, processIsOpen, updateProcess } from "./process.js";
import { redrawProcesses, showProcesses, startProcesses } from "./processes.js";

// Milliseconds: without a sample, until the next attempt to connect, in which "connected again" is shown.
const LATE = 5000, AGAIN = 2000, REGAINED = 5000;

let about, stream, received = 0, regained = -Infinity, connected = false, lost = false;

// Of the device whose page is shown, null: the page of all; of that whose charts are shown there; of all.
let device = null, charted = null, ids = [];

// ---- what is shown ----

function showMachine(view) {
	const first = byId("main").hidden;
	for (const element of document.querySelectorAll("h1, main, footer"))
		element.hidden = false;
	if (first)
		redrawDevice(); // its charts had no size before
	setText(byId("mark"), view.mark);
	setText(byId("host"), view.host ?? "tt_smi");
	document.title = `${view.host ?? ""} tt_smi`;
	setText(byId("sums"), view.sums);
	byId("sums").title = view.sums;
	setText(byId("clock"), new Date(view.time * 1000).toLocaleTimeString("en-GB"));
	setText(byId("version"), `tt_smi ${view.version}`);
	showDevices(view);
	showFindings(view);
	ids = view.groups.flatMap(({ devices }) => devices.map(({ id }) => id));
	if (device !== null)
		return;
	chartDevice(ids.includes(charted) ? charted : ids[0] ?? null);
	showPools(view);
	showProcesses(view);
}

const age = () => `${Math.round((performance.now() - received) / 1000)} s`;

function showState() {
	const late = received > 0 && performance.now() - received > LATE, old = lost || (connected && late);
	const again = !old && performance.now() - regained < REGAINED;
	setClass(document.body, old && received ? "old" : "");
	byId("lost").hidden = !old && !again;
	setClass(byId("lost"), again ? "again" : "");
	if (again)
		setText(byId("lost"), "Connected again.");
	if (lost)
		setText(byId("lost"), received ? `Connection to the server lost: these values are ${age()} old. Trying again …`
			: "No connection to the server. Trying again …");
	else if (old)
		setText(byId("lost"), `No sample for ${age()}: these values are old.`);
	setText(byId("state"), lost ? "connection lost" : !received ? "connecting" : late ? "no new sample" : "connected");
	setClass(byId("state"), lost || late ? "bad" : received ? "good" : "dim");
}

// ---- the stream ----

function receive(event) {
	const view = JSON.parse(event.data);
	if (view.version !== about.version)
		location.reload(); // the server is another one now, and so is its page
	if (received && (lost || performance.now() - received > LATE))
		regained = performance.now();
	received = performance.now();
	connected = true;
	lost = false;
	showMachine(view);
	showState();
	updateDevice();
	updateProcess();
}

// The browser connects again by itself, but not after an answer that is no stream.
function fail() {
	lost = true;
	connected = false;
	showState();
	if (stream.readyState === EventSource.CLOSED)
		setTimeout(connect, AGAIN);
}

function connect() {
	stream?.close();
	stream = new EventSource("/page/stream");
	stream.addEventListener("message", receive);
	stream.addEventListener("error", fail);
}

// ---- one device, or all ----

// On a screen that is high enough, the page of all has the charts of one device below the tiles.
const roomForFew = matchMedia("(min-width: 1100px) and (min-height: 700px)");
const roomForMany = matchMedia("(min-width: 1100px) and (min-height: 900px)");

function chartDevice(id) {
	charted = id;
	const shown = id !== null && (byId("devices").className === "many" ? roomForMany : roomForFew).matches;
	byId("device").hidden = !shown;
	markTile(shown ? id : null);
	openDevice(shown ? id : null, false);
}

async function readAddress() {
	const id = /^#device=(.+)$/.exec(location.hash)?.[1], before = device;
	closeProcess();
	device = id === undefined ? null : decodeURIComponent(id);
	if (device === null)
		chartDevice(before !== null && ids.includes(before) ? before : charted);
	else
		await openDevice(device, true);
	byId("devices").hidden = device !== null;
	byId("sections").hidden = byId("back").hidden = device === null;
	byId("device").hidden &&= device === null;
	byId("main").classList.toggle("one", device !== null);
	redrawDevice();
	if (device !== null)
		byId("device-title").focus();
	else if (before !== null)
		focusTile(before);
}

function showAll() {
	location.hash = "";
}

// ---- dark and light ----

const prefersLight = matchMedia("(prefers-color-scheme: light)");

function stored(name) {
	try {
		return localStorage.getItem(name);
	} catch {
		return null; // the browser keeps nothing for this page
	}
}

function showTheme() {
	const theme = stored("theme") ?? document.documentElement.dataset.theme ?? (prefersLight.matches ? "light" : "dark");
	setClass(document.documentElement, theme);
	setText(byId("theme"), theme === "dark" ? "light" : "dark");
	redrawDevice();
}

function changeTheme() {
	const theme = byId("theme").textContent;
	document.documentElement.dataset.theme = theme;
	try {
		localStorage.setItem("theme", theme);
	} catch {
		// until the page is closed
	}
	showTheme();
}

// ---- keys ----

function press(event) {
	const typing = event.target === byId("filter");
	if (event.ctrlKey || event.altKey || event.metaKey || processIsOpen())
		return;
	if (event.key === "Escape" && typing)
		byId("filter").blur();
	else if (event.key === "Escape")
		showAll();
	else if (typing)
		return;
	else if (event.key === "/")
		byId("filter").focus();
	else if (event.key === "t")
		changeTheme();
	else if (event.key.startsWith("Arrow") && device === null && !event.target.closest(".scroll, #findings"))
		moveFocus(event.key);
	else
		return;
	event.preventDefault();
}

// ---- start ----

async function start() {
	try {
		const answer = await fetch("/page/about");
		if (!answer.ok)
			throw new Error(answer.statusText);
		about = await answer.json();
	} catch {
		lost = true;
		showState();
		setTimeout(start, AGAIN);
		return;
	}
	startProcesses(about);
	await readAddress(); // before anything is shown, so that nothing moves
	connect();
	window.addEventListener("hashchange", readAddress);
	byId("devices").addEventListener("focusin", ({ target }) => chartDevice(target.dataset.id));
	window.addEventListener("resize", () => {
		if (device === null)
			chartDevice(charted);
		redrawDevice();
		redrawProcesses();
	});
}

showTheme();
prefersLight.addEventListener("change", showTheme);
byId("theme").addEventListener("click", changeTheme);
byId("back").addEventListener("click", showAll);
document.addEventListener("keydown", press);
setInterval(showState, 1000);
start();
