// Readings of a device or a process by section, with the reason for each that is unknown.

import { fill, make, setClass, setText } from "./dom.js";

function updateRow(row, [label, text, known]) {
	setText(row.children[0], label);
	setText(row.children[1], text);
	setClass(row.children[1], known ? "" : "dim");
}

function updateSection(element, { name, readings }) {
	setText(element.children[0], name);
	fill(element.children[1], readings, () => make("div", "row", make("dt"), make("dd")), updateRow);
}

export function showSections(parent, sections) {
	fill(parent, sections, () => make("div", "part", make("h3"), make("dl")), updateSection);
}
