/** Colours and sizes are custom properties of the element; each piece is a `part`. */
export const STYLES = `
:host {
  display: inline-block;
  color-scheme: light dark;
  font: var(--heliograph-font, 1rem/1.5 system-ui, sans-serif);
  --_text: var(--heliograph-text, light-dark(#1b1b1f, #ececf1));
  --_muted: var(--heliograph-muted, light-dark(#5a5a66, #b0b0bd));
  --_surface: var(--heliograph-surface, light-dark(#fff, #1d1d22));
  --_hover: var(--heliograph-hover, light-dark(#f2f2f6, #2b2b33));
  --_border: var(--heliograph-border, light-dark(#d5d5de, #43434f));
  --_accent: var(--heliograph-accent, light-dark(#0b57d0, #8ab4ff));
  --_badge: var(--heliograph-badge, light-dark(#b3261e, #f2b8b5));
  --_badge-text: var(--heliograph-badge-text, light-dark(#fff, #1d1d22));
  color: var(--_text);
}
/* Safari knows light-dark() from 17.5 on. */
@supports not (color: light-dark(#000, #fff)) {
  :host {
    color-scheme: light;
    --_text: var(--heliograph-text, #1b1b1f); --_muted: var(--heliograph-muted, #5a5a66);
    --_surface: var(--heliograph-surface, #fff); --_hover: var(--heliograph-hover, #f2f2f6);
    --_border: var(--heliograph-border, #d5d5de); --_accent: var(--heliograph-accent, #0b57d0);
    --_badge: var(--heliograph-badge, #b3261e); --_badge-text: var(--heliograph-badge-text, #fff);
  }
}
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
:is(button, a, ul):focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
.bell {
  position: relative; display: inline-grid; place-items: center;
  inline-size: 2.75rem; block-size: 2.75rem; border-radius: 50%;
}
.bell:hover { background: var(--_hover); }
.bell svg { inline-size: 1.5rem; block-size: 1.5rem; }
.badge {
  position: absolute; inset-block-start: 0; inset-inline-end: 0; min-inline-size: 1.25rem; padding: 0 .3rem;
  border-radius: 1rem; background: var(--_badge); color: var(--_badge-text);
  font-size: .75rem; line-height: 1.25rem; text-align: center;
}
.panel {
  position: fixed; inset: auto; margin: 0; padding: 0; overflow: hidden;
  inline-size: min(var(--heliograph-width, 24rem), calc(100vw - 1rem));
  max-block-size: min(var(--heliograph-height, 32rem), calc(100vh - 1rem));
  color: var(--_text); background: var(--_surface); border: 1px solid var(--_border);
  border-radius: var(--heliograph-radius, .75rem); box-shadow: 0 8px 32px rgb(0 0 0 / .25);
  flex-direction: column;
}
.panel { display: none; }
.panel.open { display: flex; }
.panel:popover-open { display: flex; }
header { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; padding: .75rem 1rem; border-block-end: 1px solid var(--_border); }
h2 { flex: 1; overflow-wrap: anywhere; margin: 0; font-size: 1.125rem; }
.text { color: var(--_accent); min-block-size: 1.75rem; padding: .125rem .375rem; border-radius: .375rem; }
.text:hover { background: var(--_hover); }
ul { list-style: none; margin: 0; padding: 0; overflow-y: auto; flex: 1; min-block-size: 4rem; }
li { display: grid; grid-template-columns: 1fr auto; gap: .125rem .75rem; padding: .75rem 1rem; border-block-end: 1px solid var(--_border); }
li.unread { box-shadow: inset 3px 0 var(--_accent); }
.title { font-weight: 400; color: inherit; text-align: start; overflow-wrap: anywhere; min-block-size: 1.5rem; }
a.title { text-decoration: underline; text-underline-offset: .2em; }
.unread .title { font-weight: 700; }
.body { grid-column: 1 / -1; margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
time { color: var(--_muted); font-size: .875rem; }
.mark { justify-self: end; font-size: .875rem; }
.note { margin: 0; padding: 2rem 1rem; text-align: center; color: var(--_muted); }
.more, .new { display: block; margin: .5rem auto; }
.hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (forced-colors: active) { .badge { border: 1px solid; } li.unread { border-inline-start: 3px solid Highlight; } }
`
