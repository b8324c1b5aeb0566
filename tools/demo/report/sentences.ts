import type { ModeName } from '../game/mode.ts'
import type { Played } from '../game/play.ts'
import { bytes, type Game, median, time } from './game.ts'

/** What came of the game, in three sentences that say what was measured, whatever it was. */
export function sentences({ played, neededBytes, filling }: Game): readonly string[] {
  const of = (mode: ModeName): Played | undefined => played.find(one => one.mode === mode)
  const [idle, official, live, narrow] = [of('idle'), of('client-node'), of('live'), of('narrow')]
  if (!idle || !official || !live || !narrow) return []
  const rss = ({ memory }: Played): number => memory.rss
  const said = [
    `The operator needs two objects of ${filling.objects * 2}, ${bytes(neededBytes)} together; with informers of client-node it holds ${bytes(rss(official))} of memory, with Wherry's tracked reads ${bytes(rss(narrow))}.`,
    `That is ${difference(rss(narrow) - rss(idle))} an idle process of the same imports, and ${difference(rss(narrow) - rss(live))} an operator that keeps nothing and asks the server each time.`,
    `It received a change after ${time(median(narrow.reactMs))} (informers of client-node ${time(median(official.reactMs))}, asking every two seconds ${time(median(live.reactMs))}), and for the ${narrow.unrelatedChanges} changes of objects that it does not need it received ${received(narrow.unrelatedBytes, filling.bytes)}, client-node's informers ${received(official.unrelatedBytes, filling.bytes)} for ${official.unrelatedChanges}.`,
  ]
  return said
}

function difference(value: number): string {
  return value >= 0 ? `${bytes(value)} more than` : `${bytes(-value)} less than`
}

/** Fewer bytes than one object count as none: bookmarks and the like. */
function received(value: number, objectBytes: number): string {
  if (value === 0) return 'not one byte'
  return value < objectBytes ? `${bytes(value)} and no object` : bytes(value)
}
