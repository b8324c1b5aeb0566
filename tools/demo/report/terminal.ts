import { type ModeName, modeTexts } from '../game/mode.ts'
import { bytes, type Game, median, time } from './game.ts'
import { sentences } from './sentences.ts'

const BAR = 46

/** What a person reads in a terminal: a table, a chart of memory, and what it means. */
export function terminalReport(game: Game): string {
  return ['', ...table(game), '', ...chart(game), '', ...sentences(game).map(line => wrapped(line)), ''].join('\n')
}

function table({ played }: Game): string[] {
  const idle = played.find(({ mode }) => mode === 'idle')?.memory.rss
  const head = ['', 'memory', 'above idle', 'at most', 'to start', 'for others', 'requests', 'ready', 'reacts', 'right']
  const rows = played.map(one => [
    modeTexts[one.mode].title,
    bytes(one.memory.rss),
    idle === undefined || one.mode === 'idle' ? '-' : bytes(one.memory.rss - idle),
    bytes(one.memory.peakRss),
    bytes(one.receivedBytes),
    bytes(one.unrelatedBytes),
    `${one.requests}`,
    time(one.readyMs),
    time(median(one.reactMs)),
    one.mode === 'idle' ? '-' : one.isRight ? 'yes' : 'NO',
  ])
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)))
  return all.map(row =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
}

/** A bar for each: what it holds, and what it held at most. */
function chart({ played }: Game): string[] {
  const most = Math.max(...played.map(({ memory }) => memory.peakRss))
  const width = Math.max(...played.map(({ mode }) => title(mode).length))
  const lines = played.map(({ mode, memory }) => {
    const [held, peak] = [memory.rss, memory.peakRss].map(value => Math.round((value / most) * BAR)) as [number, number]
    const bar = `${'█'.repeat(held)}${'░'.repeat(Math.max(0, peak - held))}`
    return `${title(mode).padEnd(width)}  ${bar.padEnd(BAR)}  ${bytes(memory.rss)}`
  })
  return [`${'memory'.padEnd(width)}  █ held in the end  ░ held at most`, ...lines]
}

const title = (mode: ModeName): string => modeTexts[mode].title

/** Broken into lines of up to a hundred characters. */
function wrapped(text: string): string {
  return text.replace(/(.{1,100})(?: |$)/g, '$1\n').trimEnd()
}
