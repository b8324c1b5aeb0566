/** The style of a report's page: light and dark, from 400 px on. */
export const pageStyle = `
:root { --background: #fff; --text: #1c2430; --quiet: #566073; --grid: #d5dae2; --rss: #c2410c; --received: #0369a1; --link: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  :root { --background: #11151c; --text: #e6eaf0; --quiet: #a3adbd; --grid: #2f3746; --rss: #fb923c; --received: #7dd3fc; --link: #93c5fd; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--background); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .25rem; }
a { color: var(--link); }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 1rem 0; }
dt, .quiet, figcaption, .scale, .times { color: var(--quiet); font-size: .85rem; }
dd { margin: 0; font-size: 1.4rem; font-weight: 600; }
li { margin: .4rem 0; }
figure { margin: 1rem 0 1.5rem; }
.frame { display: grid; grid-template-columns: 4.5rem 1fr; gap: .25rem .5rem; }
.scale, .times { display: flex; justify-content: space-between; font-variant-numeric: tabular-nums; }
.scale { flex-direction: column; text-align: right; line-height: 1; margin: -.5em 0; }
figcaption { margin-bottom: .75rem; }
.times { grid-column: 2; }
svg { width: 100%; height: 11rem; overflow: visible; }
.grid, polyline { fill: none; vector-effect: non-scaling-stroke; }
.grid { stroke: var(--grid); }
polyline { stroke-width: 2; stroke-linejoin: round; }
.rss { stroke: var(--rss); } .received { stroke: var(--received); }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; overflow-wrap: normal; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--grid); }
th { color: var(--quiet); font-size: .75rem; }
td:nth-child(3) { max-width: 24rem; overflow-wrap: anywhere; }
`
