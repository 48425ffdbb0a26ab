// Appended to a page of report by report_page.sh: drives it as a reader would and writes
// "ok NAME" or "bad NAME: what" lines into an element that the test reads.
"use strict";
(function () {
	var out = [];
	function check(name, bad) { out.push(bad ? "bad " + name + ": " + bad : "ok " + name); }
	function all(s) { return Array.prototype.slice.call(document.querySelectorAll(s)); }
	function shown() { return all(".overview tbody tr").filter(function (r) { return !r.hidden; }); }
	function names() { return shown().map(function (r) { return r.dataset.name; }); }

	// ---- structure ----
	var ids = {}, twice = "";
	all("[id]").forEach(function (e) { if (ids[e.id]) twice = e.id; ids[e.id] = 1; });
	check("ids are unique", twice);
	check("links inside the page lead somewhere", all("a[href]").map(function (a) { return a.getAttribute("href"); })
		.filter(function (h) { return h[0] !== "#" || !ids[h.slice(1)]; })[0]);
	check("every picture has a title and a description", all("svg").filter(function (s) {
		var t = s.querySelector("title"), d = s.querySelector("desc");
		return !(t && t.textContent.trim() && d && d.textContent.trim() && s.getAttribute("role") === "img");
	}).map(function (s) { return s.outerHTML.slice(0, 80); })[0]);
	check("every control has a name", all("input, select").filter(function (e) {
		return !e.labels || !e.labels.length;
	}).map(function (e) { return e.id; })[0]);
	var last = 1;
	check("headings do not skip a level", all("h1, h2, h3, h4").filter(function (h) {
		var n = +h.tagName[1], bad = n > last + 1;
		last = n;
		return bad;
	}).map(function (h) { return h.textContent; })[0]);
	check("tables name their columns", all("table").filter(function (t) {
		return !t.tHead || !t.caption || Array.prototype.some.call(t.tHead.rows[0].cells, function (c) { return c.scope !== "col"; });
	}).length || "");
	check("nothing is fetched", performance.getEntriesByType("resource").map(function (e) { return e.name; })[0]);
	check("nothing is wider than the window", document.documentElement.scrollWidth > innerWidth + 1 &&
		document.documentElement.scrollWidth + " over " + innerWidth);

	// ---- contrast ----
	function rgb(s) {
		var m = /rgba?\(([^)]+)\)/.exec(s);
		return m ? m[1].split(/[ ,\/]+/).map(Number) : null;
	}
	function light(c) {
		return [0.2126, 0.7152, 0.0722].reduce(function (sum, k, i) {
			var v = c[i] / 255;
			return sum + k * (v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
		}, 0);
	}
	function ground(e) {
		for (; e; e = e.parentElement) {
			var c = rgb(getComputedStyle(e).backgroundColor);
			if (c && (c.length < 4 || c[3] > 0)) return c;
		}
		return [255, 255, 255];
	}
	function ratio(a, b) {
		var x = light(a), y = light(b);
		return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
	}
	var worst = 99, where = "", marks = 99, mark = "";
	all("details.w").forEach(function (d) { d.open = true; });
	// The cells of a heat map say their number, too, which stands on the colour of the cell.
	var heat = /^(h[0-8]|none)$/;
	all("body *").forEach(function (e) {
		var style = getComputedStyle(e), svg = e instanceof SVGElement, kind = e.getAttribute("class") || "";
		if (heat.test(kind)) return;
		var text = Array.prototype.some.call(e.childNodes, function (n) { return n.nodeType === 3 && n.data.trim(); });
		var r;
		if (text && !/^(SCRIPT|STYLE|title|desc)$/.test(e.tagName)) {
			r = ratio(rgb(svg ? style.fill : style.color),
				kind === "cell" ? rgb(getComputedStyle(e.previousElementSibling).fill) : ground(e));
			if (r < worst) { worst = r; where = e.tagName + "." + (e.getAttribute("class") || "") + " " + e.textContent.slice(0, 30); }
		} else if (svg && /^(rect|circle)$/.test(e.tagName) || svg && /line|span/.test(e.getAttribute("class") || "")) {
			r = ratio(rgb(e.tagName === "path" ? style.stroke : style.fill), ground(e));
			if (r < marks) { marks = r; mark = e.outerHTML.slice(0, 60); }
		}
	});
	check("text contrast " + worst.toFixed(2) + " is at least 4.5", worst < 4.5 && where);
	check("contrast of marks " + marks.toFixed(2) + " is at least 3", marks < 3 && mark);

	// ---- filter and sort ----
	var before = names();
	function enter(id, value) {
		var e = document.getElementById(id);
		e.value = value;
		e.dispatchEvent(new Event("input", { bubbles: true }));
	}
	enter("f-text", before[0].slice(0, 3));
	check("filter by name", names().length < 1 || names().some(function (n) { return n.indexOf(before[0].slice(0, 3)) < 0; }) ? names().join() : "");
	check("the count says how many", document.getElementById("count").textContent.indexOf(names().length + " of " + before.length) === 0 ? "" : document.getElementById("count").textContent);
	enter("f-text", "");
	enter("f-verdict", "benefits");
	var want = all(".overview tbody tr").filter(function (r) { return r.querySelector("td[data-w=benefits]"); }).length;
	check("filter by verdict", names().length !== want ? names().length + " of " + want : "");
	enter("f-mechanism", "malekeh");
	want = all(".overview tbody tr").filter(function (r) { return r.querySelector("td[data-w=benefits][data-m=malekeh]"); }).length;
	check("filter by verdict of a mechanism", names().length !== want ? names().length + " of " + want : "");
	check("hidden workloads are hidden below too", all("details.w").filter(function (d) { return !d.hidden; }).length !== want ? "details" : "");
	enter("f-verdict", "");
	enter("f-mechanism", "");
	check("no filter shows all", names().length !== before.length ? names().length : "");
	var buttons = all(".overview th button");
	check("headings are buttons", buttons.length === all(".overview thead th").length ? "" : buttons.length);
	function column(i) { return shown().map(function (r) { return parseFloat(r.cells[i].dataset.v); }).filter(function (v) { return !isNaN(v); }); }
	function ordered(v, down) { return v.every(function (x, i) { return !i || (down ? v[i - 1] >= x : v[i - 1] <= x); }); }
	buttons[1].click();
	check("sort by speed-up, largest first", ordered(column(1), true) && column(1).length ? "" : column(1).join());
	check("the heading says so", buttons[1].parentNode.getAttribute("aria-sort") !== "descending");
	buttons[1].click();
	check("and the other way", ordered(column(1), false) ? "" : column(1).join());
	check("missing values stay last", (function () {
		var v = shown().map(function (r) { return r.cells[1].dataset.v; }), first = v.indexOf("");
		return first >= 0 && v.slice(first).some(function (x) { return x !== ""; });
	})());
	buttons[0].click();
	check("sort by name", names().join() === before.slice().sort().join() ? "" : names().join());
	var pre = document.createElement("pre");
	pre.id = "check-result";
	pre.textContent = "\n" + out.join("\n") + "\nend\n";
	document.body.appendChild(pre);
})();
