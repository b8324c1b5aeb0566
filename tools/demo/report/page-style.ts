/** The style of the report's page: light and dark, from 400 px on. The colours of the modes are named after them. */
export const pageStyle = `
:root {
  --background: #fff; --text: #1c2430; --quiet: #566073; --grid: #e3e7ee; --card: #f6f8fb;
  --idle: #5f6878; --client-node: #c2410c; --live: #a16207; --wherry-full: #7c3aed; --wherry-metadata: #0369a1; --narrow: #15803d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --background: #11151c; --text: #e6eaf0; --quiet: #a3adbd; --grid: #2a3240; --card: #1a202a;
    --idle: #98a2b3; --client-node: #fb923c; --live: #facc15; --wherry-full: #c4b5fd; --wherry-metadata: #7dd3fc; --narrow: #86efac;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--background); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2rem 0 .25rem; }
h3 { font-size: 1rem; margin: 0; color: var(--own); }
p { margin: .25rem 0 .75rem; overflow-wrap: anywhere; }
.note { color: var(--quiet); font-size: .9rem; }
.means { margin: 1rem 0; padding-left: 1.2rem; }
.means li { margin: .4rem 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: .8rem; margin-top: .75rem; }
.card { background: var(--card); border-radius: .6rem; padding: .9rem 1rem; min-width: 0; }
.memory { font-size: 1.7rem; font-weight: 600; margin: .25rem 0; }
.bar { position: relative; height: .6rem; border-radius: .3rem; background: var(--grid); overflow: hidden; }
.bar i, .bar b { position: absolute; inset: 0 auto 0 0; background: var(--own); }
.bar i { opacity: .35; }
dl { display: grid; grid-template-columns: 1fr auto; gap: .15rem .75rem; margin: .75rem 0 0; font-size: .9rem; }
dt { color: var(--quiet); } dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
.u-legend { font-size: .85rem; color: var(--text); text-align: left; }
.u-legend .u-value { display: none; }
`
