// report's page under a keyboard, a screen reader's view of it and on paper, in a browser that
// is driven through its debugging pipe. node page_keys.js BROWSER PAGE PROFILE-FOLDER [OPTION...]:
// prints "ok NAME" or "bad NAME: what", a line each.
"use strict";
const { spawn } = require("child_process");
const [browser, page, folder, ...options] = process.argv.slice(2);
const child = spawn(browser, ["--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
	"--disable-background-networking", "--user-data-dir=" + folder, ...options, "about:blank"],
	{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const answers = new Map(), events = [];
let id = 0, session, rest = "";
child.stdio[4].on("data", (d) => {
	const parts = (rest + d).split("\0");
	rest = parts.pop();
	for (const p of parts) {
		const m = JSON.parse(p);
		if (m.id) answers.get(m.id)(m);
		else events.filter((e) => e.method === m.method).forEach((e) => e.done(m.params));
	}
});
function send(method, params) {
	return new Promise((done, failed) => {
		answers.set(++id, (m) => (m.error ? failed(new Error(method + ": " + m.error.message)) : done(m.result)));
		child.stdio[3].write(JSON.stringify({ id, method, params: params || {}, sessionId: session }) + "\0");
	});
}
const event = (method) => new Promise((done) => events.push({ method, done }));
async function ask(f, ...args) { // runs f in the page
	const expression = "(" + f + ")(" + args.map((a) => JSON.stringify(a)).join() + ")";
	const r = await send("Runtime.evaluate", { expression, returnByValue: true });
	if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception.description);
	return r.result.value;
}
const KEYS = { Tab: 9, Enter: 13, " ": 32 };
async function press(key) {
	const text = key === "Enter" ? "\r" : key === " " ? " " : undefined;
	const k = { key, code: key === " " ? "Space" : key, windowsVirtualKeyCode: KEYS[key] };
	await send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...k });
	await send("Input.dispatchKeyEvent", { type: "keyUp", ...k });
}
const check = (name, bad) => console.log(bad ? "bad " + name + ": " + bad : "ok " + name);

// What has the focus: its text, how it is marked, whether it can be seen.
function focused() {
	const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect(), th = e.closest("th");
	return { text: (e.textContent || e.id).trim().slice(0, 40), tag: e.tagName, button: !!th && e.tagName === "BUTTON",
		sorted: th && th.getAttribute("aria-sort"), marked: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2,
		seen: r.width > 0 && r.height > 0 && r.right > 0 && r.left < innerWidth && r.bottom > 0 && r.top < innerHeight };
}
const speedups = () => [...document.querySelectorAll(".overview tbody tr")].filter((r) => !r.hidden)
	.map((r) => parseFloat(r.cells[1].dataset.v)).filter((v) => !isNaN(v));
const fallen = (v) => v.every((x, i) => !i || v[i - 1] >= x), risen = (v) => v.every((x, i) => !i || v[i - 1] <= x);

async function open(width, height, media) {
	await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
	await send("Emulation.setEmulatedMedia", { media: media || "" });
	const loaded = event("Page.loadEventFired");
	await send("Page.navigate", { url: "file://" + page });
	await loaded;
}
async function keyboard(name, width) {
	const hidden = [];
	let f, first;
	await open(width, 800);
	for (let i = 0; i < 40; i++) {
		await press("Tab");
		f = await ask(focused);
		first = first || f.text;
		if (!f.marked || !f.seen) hidden.push(f.tag + " " + f.text);
		if (f.button && f.text.startsWith("morpheus")) break;
	}
	check(name + ": the first Tab offers to skip", first === "Skip to the overview" ? "" : first);
	check(name + ": Tab comes to a heading", f.button ? "" : f.tag + " " + f.text);
	check(name + ": focus is always seen", hidden.join());
	await press("Enter");
	f = await ask(focused);
	check(name + ": Enter sorts, largest first", fallen(await ask(speedups)) ? "" : (await ask(speedups)).join());
	check(name + ": and the heading says so", f.sorted === "descending" ? "" : f.sorted || "no aria-sort");
	check(name + ": the focus stays", f.button && f.seen ? "" : f.tag);
	await press(" ");
	check(name + ": Space turns the order", risen(await ask(speedups)) ? "" : (await ask(speedups)).join());
	f = await ask(focused);
	check(name + ": and says so", f.sorted === "ascending" ? "" : f.sorted || "no aria-sort");
}
async function link() {
	await open(1280, 800);
	await ask(() => document.querySelector(".overview tbody a").focus());
	await press("Enter");
	await new Promise((done) => setTimeout(done, 200));
	const f = await ask(focused);
	check("a workload's link opens it and moves there", f.tag === "SUMMARY" && f.seen ? "" : f.tag + " " + f.text);
	await press("Enter");
	check("Enter closes it", (await ask(() => document.activeElement.parentNode.open)) ? "still open" : "");
}
// The accessibility tree, as a screen reader gets it.
async function reader(name, width) {
	await open(width, 800);
	await send("Accessibility.enable");
	const nodes = (await send("Accessibility.getFullAXTree")).nodes.filter((n) => !n.ignored);
	const of = (role) => nodes.filter((n) => n.role && n.role.value === role);
	const nameless = (list) => list.filter((n) => !n.name || !n.name.value).length;
	check(name + ": the overview is a table with a name", of("table").some((n) => n.name && /verdict per mechanism/.test(n.name.value)) ? ""
		: of("table").map((n) => n.name && n.name.value).join() || "no table");
	check(name + ": of eight named columns", of("columnheader").length >= 8 ? "" : of("columnheader").length);
	check(name + ": headings and rows have names", nameless(of("columnheader")) + nameless(of("rowheader")) || (of("rowheader").length ? "" : "no rows"));
	check(name + ": buttons, fields and pictures have names", nameless([...of("button"), ...of("searchbox"), ...of("combobox"), ...of("image"), ...of("img")]) || "");
	check(name + ": landmarks", ["banner", "navigation", "main"].filter((r) => !of(r).length).join());
}
async function paper() {
	await open(718, 1000, "print"); // A4 less margins
	check("paper: nothing is wider than the page", await ask(() => {
		const wide = [...document.querySelectorAll(".scroll, table")].filter((e) => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth + 1);
		return wide.map((e) => e.className + " " + e.getBoundingClientRect().right).join();
	}));
	check("paper: no controls", await ask(() => [...document.querySelectorAll("nav, .controls, .skip, .screen")]
		.filter((e) => e.getClientRects().length).map((e) => e.tagName).join()));
	await open(1280, 800);
	await ask(() => { window.open_then = []; addEventListener("beforeprint", () => { window.open_then = [...document.querySelectorAll("details.w")].map((d) => d.open); }); });
	const pdf = await send("Page.printToPDF", {});
	check("paper: it prints", Buffer.from(pdf.data, "base64").subarray(0, 5).toString() === "%PDF-" ? "" : "no PDF");
	check("paper: every workload is open", (await ask(() => window.open_then.length && window.open_then.every((x) => x))) ? "" : "closed");
	check("paper: and closed again", (await ask(() => document.querySelectorAll("details.w[open]").length)) || "");
}
async function main() {
	const { targetInfos } = await send("Target.getTargets");
	const target = targetInfos.find((t) => t.type === "page");
	session = (await send("Target.attachToTarget", { targetId: target.targetId, flatten: true })).sessionId;
	await send("Page.enable");
	await keyboard("keys", 1280);
	await keyboard("keys on a phone", 420);
	await link();
	await reader("reader", 1280);
	await reader("reader on a phone", 420);
	await paper();
	console.log("end");
}
setTimeout(() => { console.log("bad the browser answers: not in 50 s"); child.kill(); process.exit(1); }, 50000).unref();
main().catch((e) => console.log("bad the check runs: " + e.message)).finally(() => child.kill());
