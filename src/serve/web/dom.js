// Elements. Text from elsewhere becomes text only, never markup.

export const byId = (id) => document.getElementById(id);

export function make(name, className, ...children) {
	const element = document.createElement(name);
	if (className)
		element.className = className;
	element.append(...children);
	return element;
}

export function setText(element, text) {
	if (element.textContent !== text)
		element.textContent = text;
}

export function setClass(element, className) {
	if (element.className !== className)
		element.className = className;
}

export function setTitle(element, text) {
	if (element.title !== text)
		element.title = text;
}

// A reading is [text, style, reason]: the reason is there if the value is unknown.
export function setReading(element, [text, style, reason], className = "") {
	setText(element, text);
	setClass(element, `${className} ${style}`);
	setTitle(element, reason ? `N/A: ${reason}` : "");
}

// As many children as there are items: kept ones are filled again, so that focus and place stay.
export function fill(parent, items, create, update) {
	while (parent.childElementCount > items.length)
		parent.lastElementChild.remove();
	items.forEach((item, i) => {
		const child = parent.children[i] ?? parent.appendChild(create(item));
		update(child, item);
	});
}

const SVG = "http://www.w3.org/2000/svg";

export function makeBar() {
	const svg = document.createElementNS(SVG, "svg"), rect = document.createElementNS(SVG, "rect");
	svg.setAttribute("class", "bar");
	svg.setAttribute("viewBox", "0 0 100 1");
	svg.setAttribute("preserveAspectRatio", "none");
	svg.setAttribute("aria-hidden", "true");
	rect.setAttribute("height", "1");
	svg.append(rect);
	return svg;
}

// share is undefined if it is unknown: the bar is empty, and the text beside it says why.
export function setBar(bar, share, style) {
	bar.setAttribute("class", `bar ${style}`);
	bar.firstChild.setAttribute("width", String(Math.min(Math.max(share ?? 0, 0), 1) * 100));
}
