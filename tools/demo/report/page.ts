import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type ModeName, modeTexts } from '../game/mode.ts'
import { bytes, type Game, median, time } from './game.ts'
import { pageStyle } from './page-style.ts'
import { sentences } from './sentences.ts'

/** The report as one page that needs no network: the curves of memory, what each operator cost, and what it means. */
export function page(game: Game): string {
  const { server, machine, filling, seconds, played } = game
  const require = createRequire(import.meta.url)
  const part = (file: string): string => readFileSync(require.resolve(`uplot/dist/${file}`), 'utf8')
  const script = readFileSync(new URL('../browser/draw.js', import.meta.url), 'utf8')
  const objects = `${filling.objects} ConfigMaps and ${filling.objects} Secrets of ${Math.round(filling.bytes / 1000)} KB`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Wherry: the memory game</title>
<link rel="icon" href="data:,">
<style>${part('uPlot.min.css')}${pageStyle}</style>
</head>
<body>
<main>
<h1>The memory game</h1>
<p class="lead">One operator, run in ${played.length} ways, one after the other, against ${text(server)} with ${objects}. It needs one of each.</p>
<ul class="means">${sentences(game)
    .map(line => `<li>${text(line)}</li>`)
    .join('')}</ul>
<h2>Memory over time</h2>
<p class="note">RSS of each operator's process, from its start.</p>
<div id="curves"></div>
<h2>What each of them cost</h2>
<div class="cards">${played.map(one => card(one, game)).join('')}</div>
<h2>How it was measured</h2>
<p>${text(machine)}; ${Math.round(seconds)} s in all. Each operator is a Node process of its own with the same reconcile function, which writes
a digest of both objects into the status of a Game; while it runs, ten objects that it does not need are changed each second.
Memory is RSS: in the end, after a full collection of garbage, and at most. Bytes are those of the network from the API server, TLS
included. A reaction is the time from the start of a change to the end of the reconcile that saw it, the median of ${Math.max(...played.map(one => one.reactMs.length))}.</p>
</main>
<script type="application/json" id="data">${json(curves(game))}</script>
<script>${part('uPlot.iife.min.js')}</script>
<script>${script}</script>
</body>
</html>
`
}

function card(one: Game['played'][number], { played }: Game): string {
  const { mode, memory, isRight, unrelatedChanges } = one
  const most = Math.max(...played.map(each => each.memory.peakRss))
  const [held, peak] = [memory.rss, memory.peakRss].map(value => ((value / most) * 100).toFixed(1))
  const idle = played.find(each => each.mode === 'idle')?.memory.rss
  const fact = (name: string, value: string): string => `<dt>${name}</dt><dd>${value}</dd>`
  return `<section class="card" style="--own: var(--${mode})">
<h3>${text(modeTexts[mode].title)}</h3>
<p class="note">${text(modeTexts[mode].how)}</p>
<p class="memory">${bytes(memory.rss)}</p>
<div class="bar" role="img" aria-label="${bytes(memory.rss)} in the end, ${bytes(memory.peakRss)} at most"><i style="width:${peak}%"></i><b style="width:${held}%"></b></div>
<dl>${[
    ...(idle === undefined || mode === 'idle' ? [] : [fact('above idle', bytes(memory.rss - idle))]),
    fact('memory at most', bytes(memory.peakRss)),
    fact('received to start', bytes(one.receivedBytes)),
    fact(`received for ${unrelatedChanges} changes of others`, bytes(one.unrelatedBytes)),
    fact('requests', `${one.requests}`),
    fact('ready after', time(one.readyMs)),
    ...(mode === 'idle'
      ? []
      : [fact('reacts after', time(median(one.reactMs))), fact('its result', isRight ? 'right' : 'wrong')]),
  ].join('')}</dl>
</section>`
}

interface Curve {
  readonly name: ModeName
  readonly title: string
  readonly seconds: readonly number[]
  readonly megabytes: readonly number[]
}

function curves({ played }: Game): Curve[] {
  return played.map(({ mode, curve }) => ({
    name: mode,
    title: modeTexts[mode].title,
    seconds: curve.map(({ at }) => Math.round(at / 10) / 100),
    megabytes: curve.map(({ rss }) => Math.round(rss / 1e5) / 10),
  }))
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function text(words: string): string {
  return words.replace(/[&<>"]/g, sign => entities[sign] ?? sign)
}

/** For a script element: nothing in it ends the element. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
