// A chart of the last hour: the range between the lowest and the highest value of each step.

// The colours of the theme, resolved: a canvas does not know variables.
function colors(canvas) {
	const { style } = canvas, before = style.color;
	const resolve = (name) => {
		style.color = `var(${name})`;
		return getComputedStyle(canvas).color;
	};
	const found = { line: resolve("--line"), chart: resolve("--chart") };
	style.color = before;
	return found;
}

// Sharp on every screen.
function begin(canvas) {
	const ratio = window.devicePixelRatio || 1, context = canvas.getContext("2d");
	const shown = canvas.getBoundingClientRect(); // with the zoom of large screens
	const width = Math.round(shown.width * ratio), height = Math.round(shown.height * ratio);
	if (canvas.width !== width || canvas.height !== height)
		Object.assign(canvas, { width, height });
	context.setTransform(1, 0, 0, 1, 0, 0);
	context.clearRect(0, 0, width, height);
	context.lineWidth = ratio;
	return { context, width, height };
}

function drawGrid({ context, width, height }, line) {
	context.strokeStyle = line;
	context.beginPath();
	for (let i = 0; i <= 4; i++) {
		const y = Math.min(Math.round(height * i / 4) + 0.5, height - 0.5);
		context.moveTo(0, y);
		context.lineTo(width, y);
	}
	context.stroke();
}

// One range per column of pixels: several steps may share one, and a step may be wider.
function columnsOf(points, width, step, x) {
	const columns = new Array(width);
	for (const { time, low, high } of points) {
		const left = Math.max(x(time), 0), right = Math.min(Math.max(x(time + step), left + 1), width);
		for (let i = left; high !== null && i < right; i++)
			columns[i] = columns[i] ? [Math.min(columns[i][0], low), Math.max(columns[i][1], high)] : [low, high];
	}
	return columns;
}

// points: {time, low, high}, by time; a point lasts for step seconds. A gap stays empty.
export function drawChart(canvas, points, { from, to, step, top }) {
	const area = begin(canvas), { context, width, height } = area, { line, chart } = colors(canvas);
	const x = (time) => Math.round((time - from) / (to - from) * width);
	const y = (value) => height - Math.min(value / top, 1) * (height - 2) - 1;
	drawGrid(area, line);
	context.fillStyle = chart;
	columnsOf(points, width, step, x).forEach(([low, high], i) => {
		context.globalAlpha = 0.22;
		context.fillRect(i, y(high), 1, height - y(high));
		context.globalAlpha = 1;
		context.fillRect(i, y(high), 1, Math.max(y(low) - y(high), context.lineWidth * 1.5));
	});
}
