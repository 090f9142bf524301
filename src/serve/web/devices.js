// Tiles of devices, in the order and the groups of the full screen's grid.

import { byId, fill, make, makeBar, setBar, setClass, setReading, setText, setTitle } from "./dom.js";

const MANY = 12; // devices; from here on groups have columns of their own

// Names of parts stay the same, so that nothing moves when values change.
function makeTile() {
	const line = (...children) => make("span", "", ...children), part = () => make("span");
	const tile = make("button", "tile", line(part(), part(), part()), line(part(), part(), part()), makeBar(),
		line(part()), line(part(), makeBar()));
	setClass(tile.children[1], "readings");
	setClass(tile.children[4], "busy");
	tile.type = "button";
	tile.addEventListener("click", () => { location.hash = `device=${encodeURIComponent(tile.dataset.id)}`; });
	return tile;
}

function updateTile(tile, device) {
	const [head, readings, bar, memory, busy] = tile.children, [symbol, symbolStyle] = device.symbol;
	const old = device.age !== undefined;
	tile.dataset.id = device.id;
	setClass(tile, `tile is-${device.health[1]}${old ? " failing" : ""}`);
	setText(head.children[0], `${device.id}${symbol}`);
	setClass(head.children[0], `id ${symbolStyle}`);
	setText(head.children[1], device.name);
	setClass(head.children[1], "name");
	setReading(head.children[2], device.health, "health small");
	setReading(readings.children[0], device.temperature, "reading");
	setReading(readings.children[1], device.power, "reading");
	setReading(readings.children[2], old ? [device.age, "bad"] : device.clock, "reading small");
	setBar(bar, device.dram_share, device.dram[1]);
	setReading(memory.children[0], [`DRAM ${device.dram[0]}`, "plain", device.dram[2]], "small");
	setReading(busy.children[0], [`busy ${device.busy[0]}`, device.busy[1], device.busy[2]], "small");
	setBar(busy.children[1], device.busy_share, "title");
	tile.setAttribute("aria-label", `device ${device.id}, ${device.name}, ${device.health[0]}, ${device.temperature[0]}, ` +
		`${device.power[0]}, DRAM ${device.dram[0]}, busy ${device.busy[0]}`);
}

function updateGroup(group, { name, devices }) {
	setText(group.children[0], name);
	fill(group.children[1], devices, makeTile, updateTile);
}

export function showDevices({ groups }) {
	const count = groups.reduce((sum, { devices }) => sum + devices.length, 0);
	setClass(byId("devices"), count > MANY ? "many" : "");
	fill(byId("devices"), groups, () => make("div", "group", make("h2"), make("div", "tiles")), updateGroup);
}

// The device whose charts are shown.
export function markTile(id) {
	for (const tile of document.querySelectorAll(".tile"))
		tile.toggleAttribute("data-charted", tile.dataset.id === id);
}

export function focusTile(id) {
	[...document.querySelectorAll(".tile")].find((tile) => tile.dataset.id === id)?.focus();
}

// Arrow keys: the next tile in that direction.
export function moveFocus(key) {
	const tiles = [...document.querySelectorAll(".tile")], at = document.activeElement;
	if (!tiles.includes(at)) {
		tiles[0]?.focus();
		return;
	}
	const here = at.getBoundingClientRect(), sideways = key === "ArrowLeft" || key === "ArrowRight";
	const direction = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
	const distance = (tile) => {
		const there = tile.getBoundingClientRect();
		const x = there.x - here.x, y = there.y - here.y;
		const [along, across] = sideways ? [x * direction, y] : [y * direction, x];
		return along > 1 ? along + Math.abs(across) * 4 : Infinity;
	};
	const next = tiles.map((tile) => [distance(tile), tile]).sort(([a], [b]) => a - b)[0];
	if (next[0] < Infinity)
		next[1].focus();
}

// Of one device, or of all.
export function showPools({ pools, id }) {
	setText(byId("pools-of"), id === undefined ? "Memory of all devices" : `Memory of device ${id}`);
	fill(byId("pools"), pools, () => make("div", "pool", make("p", "", make("span"), make("span")), makeBar()),
		(element, { name, text, share, style }) => {
			setText(element.children[0].children[0], name);
			setReading(element.children[0].children[1], [text, share === undefined ? "dim" : "plain"]);
			setBar(element.children[1], share, share === undefined ? "none" : style);
		});
}

const LEVELS = { fail: "bad", warn: "warn", note: "dim", ok: "good" };

export function showFindings({ findings, errors }) {
	const items = [
		...findings.map(({ level, text, fixes }) => [LEVELS[level], text, fixes.join("\n")]),
		...errors.map(({ source, message }) => ["dim", `${source}: ${message}`, ""]),
	];
	fill(byId("findings"), items.length ? items : [["good", "no problems found", ""]],
		() => make("li", "", make("span"), make("code")),
		(item, [style, text, fixes]) => {
			setReading(item.children[0], [text, style]);
			setText(item.children[1], fixes);
			setTitle(item.children[1], fixes ? "how to fix it" : "");
			item.children[1].hidden = !fixes;
		});
}
