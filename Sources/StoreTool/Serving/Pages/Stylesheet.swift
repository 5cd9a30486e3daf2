/// The style of the pages: light and dark by the reader's system, on narrow and wide windows.
enum Stylesheet {
  static let text = """
    :root {
      color-scheme: light dark;
      --page: #ffffff; --surface: #f5f6f8; --text: #1c2128; --muted: #59636e; --line: #d3d9e0;
      --accent: #0b57c7; --insert: #116932; --update: #7a4d00; --delete: #a3182b;
      --numbers: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page: #101419; --surface: #191f26; --text: #e5e9ee; --muted: #9ba6b3; --line: #363f4a;
        --accent: #82b4ff; --insert: #6fd492; --update: #e5b567; --delete: #ff949d;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; max-width: 80rem; padding: 0 1.25rem 2rem;
      background: var(--page); color: var(--text);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
    }
    a { color: var(--accent); text-underline-offset: 0.15em; }
    a:focus-visible, [tabindex]:focus-visible {
      outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 2px;
    }
    .skip { position: absolute; left: -100rem; }
    .skip:focus { left: 1rem; top: 0.5rem; padding: 0.25rem 0.5rem; background: var(--page); }
    header {
      display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 2rem;
      padding: 1rem 0 0.75rem; border-bottom: 1px solid var(--line);
    }
    .brand {
      font-weight: 650; color: var(--text); text-decoration: none; overflow-wrap: anywhere;
    }
    form { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; }
    header form { margin-left: auto; gap: 0.5rem; }
    form.choice { padding: 0 0 0.75rem; }
    input, button {
      font: inherit; color: var(--text); background: var(--page);
      border: 1px solid var(--line); border-radius: 6px; padding: 0.2rem 0.5rem;
    }
    button { background: var(--surface); cursor: pointer; }
    input:focus-visible, button:focus-visible {
      outline: 3px solid var(--accent); outline-offset: 1px;
    }
    nav ul { display: flex; gap: 1.25rem; list-style: none; margin: 0; padding: 0; }
    nav [aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
    h1 { font-size: 1.5rem; line-height: 1.25; margin: 1.5rem 0 0.75rem; overflow-wrap: anywhere; }
    h2 { font-size: 1.05rem; margin: 1.75rem 0 0.5rem; }
    .label { color: var(--muted); font-weight: 400; overflow-wrap: anywhere; }
    .none, .type, .when, footer { color: var(--muted); }
    .mistake { color: var(--delete); font-weight: 600; overflow-wrap: anywhere; }
    .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
    table { border-collapse: collapse; width: 100%; }
    caption {
      text-align: left; padding: 0.5rem 0.75rem; color: var(--muted); white-space: nowrap;
    }
    th, td {
      padding: 0.4rem 0.75rem; text-align: left; vertical-align: top;
      border-top: 1px solid var(--line); white-space: nowrap;
    }
    thead th { background: var(--surface); font-weight: 600; }
    tbody th { font-weight: 500; }
    tbody tr:hover { background: var(--surface); }
    .n { text-align: right; font-variant-numeric: tabular-nums; }
    .object td:last-child { white-space: normal; min-width: 14rem; width: 100%; }
    .object ul { margin: 0 0 0.35rem; padding-left: 1.1rem; }
    .text { overflow-wrap: anywhere; max-width: 60rem; }
    code { font: 0.85rem/1.6 var(--numbers); overflow-wrap: anywhere; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.25rem; margin: 0; }
    dt { color: var(--muted); }
    dd { margin: 0; overflow-wrap: anywhere; }
    .pages { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; padding: 1rem 0; }
    .timeline { list-style: none; margin: 1rem 0; padding: 0; border-left: 2px solid var(--line); }
    .timeline > li { position: relative; padding: 0 0 1.25rem 1.5rem; }
    .timeline > li::before {
      content: ""; position: absolute; left: -6px; top: 0.45rem; width: 10px; height: 10px;
      border-radius: 50%; background: var(--accent);
    }
    .timeline h2 { margin: 0; font-size: 1rem; }
    .when { margin: 0 0 0.25rem; font-size: 0.9rem; overflow-wrap: anywhere; }
    .changes { list-style: none; margin: 0; padding: 0; }
    .sign { display: inline-block; min-width: 4.5rem; font-weight: 600; }
    .insert { color: var(--insert); } .update { color: var(--update); }
    .sign.delete { color: var(--delete); }
    footer { margin-top: 2.5rem; border-top: 1px solid var(--line); font-size: 0.9rem; }
    svg.schema { display: block; margin: 0 auto; font-size: 13px; }
    svg .box { fill: var(--surface); stroke: var(--line); }
    svg .rule, svg .edge, svg .inherits { fill: none; stroke: var(--muted); }
    svg .rule { stroke: var(--line); }
    svg .inherits { stroke-dasharray: 5 4; }
    svg .triangle { fill: var(--page); stroke: var(--muted); }
    svg text { fill: var(--text); }
    svg .head { font-weight: 650; fill: var(--accent); }
    svg .kind, svg .count { fill: var(--muted); }
    svg .count { paint-order: stroke; stroke: var(--page); stroke-width: 4px; }
    @media (max-width: 40rem) {
      body { padding: 0 0.85rem 1.5rem; }
      dl { grid-template-columns: 1fr; gap: 0; }
      dd { margin-bottom: 0.5rem; }
      th, td { padding: 0.4rem 0.6rem; }
      .object .type { display: none; }
      .object thead th:nth-child(2) { display: none; }
      .object td:last-child { min-width: 10rem; }
    }
    """
}
