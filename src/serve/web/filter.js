// The filter language of the full screen (tt_smi(1), "FULL SCREEN"). The server has the texts and numbers of
// all columns; here terms are read and compared, as src/tui/filter.c does. A test compares both.

const TERMS = 8, VALUE_BYTES = 127;
const OPERATORS = ["!=", ">=", "<=", ">", "<", "=", "~"]; // longer ones first
const AMOUNT = /^(?:0x[0-9a-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/i;
const SECONDS = { s: 1, m: 60, h: 3600, d: 86400 };

const fold = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const bytes = (text) => new TextEncoder().encode(text).length;

class Problem extends Error {}

// "1G", "1.5mb", "90", "2h"; null: it is none.
function readAmount(text, kind, kilo) {
	const number = AMOUNT.exec(text)?.[0];
	if (number === undefined)
		return null;
	let rest = text.slice(number.length), amount = Number(number);
	if (kind === "bytes") {
		const unit = /^([kmgt])(i?)/i.exec(rest);
		if (unit) {
			const binary = unit[2] === "i";
			amount *= (binary ? 1024 : kilo) ** ("kmgt".indexOf(fold(unit[1])) + 1);
			rest = rest.slice(binary ? 2 : 1);
		}
		rest = rest.replace(/^b/i, "");
	} else if (kind === "seconds" && Object.hasOwn(SECONDS, fold(rest[0] ?? ""))) {
		amount *= SECONDS[fold(rest[0])];
		rest = rest.slice(1);
	}
	return rest === "" ? amount : null;
}

// Up to a blank or an ampersand outside of quotes.
function splitTerms(text) {
	const terms = [];
	let term = "", quoted = false;
	for (const c of text) {
		if (!quoted && (c === " " || c === "&")) {
			if (term)
				terms.push(term);
			term = "";
			continue;
		}
		quoted = quoted !== (c === '"');
		term += c;
	}
	return term ? [...terms, term] : terms;
}

function unquote(text) {
	const begins = text.startsWith('"');
	if (begins && (text.length < 2 || !text.endsWith('"')))
		throw new Problem("quotes must enclose a whole value");
	const inner = begins ? text.slice(1, -1) : text;
	if (inner.includes('"'))
		throw new Problem("quotes must enclose a whole value");
	return inner;
}

function withValue(term, text, about) {
	const kind = term.column < 0 ? "text" : about.columns[term.column].kind, isText = kind === "text";
	term.text = unquote(text);
	if (!term.text)
		throw new Problem("a value is missing");
	if (bytes(term.text) > VALUE_BYTES)
		throw new Problem("a word is too long");
	if (term.operator === "~" || (isText && (term.operator === "=" || term.operator === "!=")))
		return term;
	if (isText)
		throw new Problem("texts are compared with = != or ~");
	term.number = readAmount(term.text, kind, about.kilo);
	if (term.number === null)
		throw new Problem(`"${term.text}" is not a number`);
	return term;
}

function readTerm(text, about) {
	const name = /^[^!=<>~"]*/.exec(text)[0], rest = text.slice(name.length);
	if (!rest || rest[0] === '"')
		return withValue({ column: -1, operator: "~" }, text, about);
	if (!name)
		throw new Problem(`no column before "${text.slice(0, 32)}": write terms without blanks`);
	const column = about.columns.findIndex(({ key }) => key === fold(name));
	if (column < 0)
		throw new Problem(`no column "${name.slice(0, 32)}"`);
	const operator = OPERATORS.find((operator) => rest.startsWith(operator));
	if (!operator)
		throw new Problem('"!" is valid only in !=');
	return withValue({ column, operator }, rest.slice(operator.length), about);
}

// about: the columns, and how much a K is. Returns {terms}, or {problem}: what is wrong with it.
export function parseFilter(text, about) {
	try {
		const words = splitTerms(text), terms = words.slice(0, TERMS).map((word) => readTerm(word, about));
		if (words.length > TERMS)
			throw new Problem(`more than ${TERMS} terms`);
		return { terms };
	} catch (error) {
		if (error instanceof Problem)
			return { problem: error.message };
		throw error;
	}
}

function compareNumbers(operator, left, right) {
	switch (operator) {
	case "=": return Math.abs(left - right) < 1e-9;
	case "!=": return Math.abs(left - right) >= 1e-9;
	case ">": return left > right;
	case "<": return left < right;
	case ">=": return left >= right;
	default: return left <= right;
	}
}

// dev=0,3: the process has these devices open, and perhaps others.
function hasDevices(process, text) {
	const ids = text.split(",");
	if (ids.at(-1) === "")
		ids.pop();
	return ids.every((id) => process.devices.some((other) => fold(other) === fold(id)));
}

function termHolds({ column, operator, text, number }, process, about) {
	const cell = (key) => process.cells[about.columns.findIndex((other) => other.key === key)];
	if (column >= 0 && operator !== "~" && about.columns[column].kind !== "text") {
		const known = process.cells[column][1];
		return known !== null && compareNumbers(operator, known, number);
	}
	const shown = column < 0 ? `${cell("command")[0]} ${cell("user")[0]}` : process.cells[column][0];
	if (operator === "~")
		return fold(shown).includes(fold(text));
	const equal = fold(shown) === fold(text) ||
		(about.columns[column].key === "dev" && hasDevices(process, text));
	return equal === (operator === "=");
}

export function filterHolds(terms, process, about) {
	return terms.every((term) => termHolds(term, process, about));
}
