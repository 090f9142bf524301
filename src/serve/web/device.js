// One device: charts of the last hour; on its page also processes, and all readings with reasons.

import { drawChart } from "./chart.js";
import { byId, fill, make, setClass, setText } from "./dom.js";
import { showPools } from "./devices.js";
import { showProcesses } from "./processes.js";
import { showSections } from "./sections.js";

let id = null, whole = false, latest = null, past = null, running = null;

async function fetchJson(path) {
	const answer = await fetch(path);
	if (answer.status === 404)
		setText(byId("device-title"), `Device ${id}: there is no such device`);
	if (!answer.ok)
		throw new Error(`${path}: ${answer.status}`);
	return answer.json();
}

// What the history has of a reading, as points.
function pointsOf({ step, start }, reading) {
	return (reading?.high ?? []).map((high, i) => ({ time: start + i * step, low: reading.low[i], high }));
}

// Without an answer, as from a server that has too many requests, the charts begin now.
async function fetchPast(device, span) {
	const path = `/api/v1/history?device=${encodeURIComponent(device)}&seconds=${span}`;
	const history = await fetchJson(path).catch(() => null);
	if (!history)
		return { device, span, step: 1, points: {}, missing: true };
	const readings = history.devices[0].readings;
	return {
		device, span, step: history.step,
		points: Object.fromEntries(Object.entries(readings).map(([name, reading]) => [name, pointsOf(history, reading)])),
	};
}

// The newest value: a new step, or one more value of the last one.
function addPoint(points, step, time, value) {
	const last = points.at(-1);
	if (!last || time >= last.time + step)
		points.push({ time: last ? last.time + step * Math.floor((time - last.time) / step) : time, low: value, high: value });
	else if (value !== null && last.high === null)
		Object.assign(last, { low: value, high: value });
	else if (value !== null)
		Object.assign(last, { low: Math.min(last.low, value), high: Math.max(last.high, value) });
}

function addNow({ charts, time, span }) {
	for (const { name, now } of charts) {
		const points = past.points[name] ??= [];
		addPoint(points, past.step, time, now);
		while (points.length && points[0].time < time - span - past.step)
			points.shift();
	}
}

function makeChart() {
	const head = make("p", "", make("span", "title"), make("span", "text"));
	const foot = make("p", "dim small", make("span"), make("span"), make("span"));
	const canvas = make("canvas");
	canvas.setAttribute("role", "img");
	return make("div", "chart", head, canvas, foot);
}

function updateChart(element, chart) {
	const [head, canvas, foot] = element.children, { time, span, ago } = latest;
	setText(head.children[0], chart.title);
	setText(head.children[1], chart.text);
	setClass(head.children[1], chart.now === null ? "text dim" : "text");
	setText(foot.children[0], ago);
	setText(foot.children[1], `top ${chart.label}`);
	setText(foot.children[2], "now");
	canvas.setAttribute("aria-label", `${chart.title}: ${chart.text}`);
	drawChart(canvas, past.points[chart.name] ?? [], { from: time - span, to: time + past.step, step: past.step, top: chart.top });
}

function draw() {
	setText(byId("device-title"), `Device ${latest.id}  ${latest.name}`);
	fill(byId("charts"), latest.charts, makeChart, updateChart);
	if (!whole)
		return;
	showSections(byId("sections"), latest.sections);
	showPools(latest);
	showProcesses(latest);
}

async function update(wanted) {
	const next = await fetchJson(`/page/device?id=${encodeURIComponent(wanted)}`);
	const other = past?.device !== wanted || past.span !== next.span || next.sample < (latest?.sample ?? 0);
	if (other || past.missing) {
		const fetched = await fetchPast(wanted, next.span);
		past = other || !fetched.missing ? fetched : past;
	}
	if (!other && next.sample !== latest?.sample)
		addNow(next);
	if (id === wanted) {
		latest = next;
		draw();
	}
}

async function updateUntilShown() {
	for (let wanted; id !== null && id !== wanted;) {
		wanted = id;
		try {
			await update(wanted);
		} catch {
			// The stream says that the connection is lost, and when it is back.
		}
	}
}

// The latest sample of the device that is shown; called for each event of the stream.
export function updateDevice() {
	return running ??= updateUntilShown().finally(() => { running = null; });
}

// With everything about it, or its charts alone; null: none.
export async function openDevice(device, withAll) {
	id = device;
	whole = withAll;
	await updateDevice();
}

export function redrawDevice() {
	if (id !== null && latest?.id === id)
		draw();
}
