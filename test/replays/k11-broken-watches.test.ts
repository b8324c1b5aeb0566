/** What broke watches of operators that are in use, one test a cause. The threads are in docs/guarantees/broken-watches.md. */
import { expect, it } from 'vitest'
import { isMet } from './harness/figure.ts'
import { oldVersionCut, tooManyRequests } from './k11/answers.ts'
import { deadConnection, deadControlPlane, manyReconnects } from './k11/connections.ts'
import { deletedWhileAway, deletedWhileQueued, podsOfOthers, stoppedAndStarted, throwing } from './k11/objects.ts'
import type { WatchReplay } from './k11/replay.ts'

async function meetsItsBars({ play }: WatchReplay): Promise<void> {
  const figures = await play()
  expect(figures.length).toBeGreaterThan(1)
  expect(figures.filter(figure => !isMet(figure))).toEqual([])
}

it('P1: a connection that is dead without a word is noticed within 45 s, and nothing is lost', () =>
  meetsItsBars(deadConnection))

it.each([undefined, 7])('P2: a 429 for a minute (Retry-After: %s) costs no relist and no event', retryAfterSeconds =>
  meetsItsBars(tooManyRequests(retryAfterSeconds)),
)

it('P3: an object comes again with growing waits after its reconcile throws, and others are not disturbed', () =>
  meetsItsBars(throwing))

it.each([1, 20])(
  'P4: a control plane that is away is asked 8 times in a minute at most, then twice a minute, by %i informers',
  informers => meetsItsBars(deadControlPlane(informers)),
)

it('P5: a resourceVersion that is answered by a cut, and never by a 410, costs one relist and no event', () =>
  meetsItsBars(oldVersionCut))

it.each(['disconnected', 'expired'] as const)('P6: an object that is deleted while it is %s is reported once', how =>
  meetsItsBars(deletedWhileAway(how)),
)

it('P6: an object that is deleted while its key waits to run is reported once, and its reconcile does not run', () =>
  meetsItsBars(deletedWhileQueued))

it('P7: after 1,000 reconnects there are as many connections and streams as after one', () =>
  meetsItsBars(manyReconnects(1000)))

it('P8: an operator that is stopped and another one that is started bring no state that is old', () =>
  meetsItsBars(stoppedAndStarted))

it('P9: 6,186 pods of others in an hour bring no byte and no object', () => meetsItsBars(podsOfOthers))
