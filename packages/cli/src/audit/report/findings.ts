import type { RelistReason } from '../ledger/collection.ts'
import { bytesText } from './bytes-text.ts'
import type { AuditReport } from './report.ts'

/** A reason to change the program. */
export type Finding =
  | { readonly finding: 'no-requests' }
  | {
      /** The program watches all objects of a kind, and reads or writes few of them by name. */
      readonly finding: 'whole-kind'
      readonly resource: string
      readonly namespace: string
      readonly distinct: number
      readonly used: number
      readonly bytes: number
    }
  | { readonly finding: 'relists'; readonly resource: string; readonly reason: RelistReason; readonly times: number }
  | { readonly finding: 'unchanged-writes'; readonly resource: string; readonly times: number; readonly of: number }
  | { readonly finding: 'requests-at-rest'; readonly request: string; readonly times: number; readonly seconds: number }
  | { readonly finding: 'game-received'; readonly resource: string; readonly objects: number; readonly bytes: number }
  | { readonly finding: 'game-memory'; readonly grownBytes: number; readonly maxGrowthBytes: number }
  | { readonly finding: 'forbidden'; readonly request: string; readonly times: number }

/** A watch of fewer objects is no finding. */
const fewest = 10
/** `whole-kind` is reported if the program uses at most every tenth watched object. */
const share = 10

/** The findings of a report, in the order of the kinds above. */
export function findingsOf(report: Omit<AuditReport, 'findings'>): readonly Finding[] {
  const { collections, byName, rest, refusals, others, game } = report
  const grownBytes = game === undefined ? 0 : game.rssMostBytes - game.rssBeforeBytes
  const isSilent = collections.length + byName.length + others.requests === 0
  return [
    ...(isSilent ? [{ finding: 'no-requests' } as const] : []),
    ...collections
      .filter(({ selector, watches }) => watches > 0 && (selector === '' || selector === 'metadata only'))
      .filter(({ distinct, used }) => distinct >= fewest && used * share <= distinct)
      .map(({ resource, namespace, distinct, used, bytes }) => {
        return { finding: 'whole-kind', resource, namespace, distinct, used, bytes } as const
      }),
    ...collections.flatMap(({ resource, relists }) =>
      Object.entries(relists).map(([reason, times]) => {
        return { finding: 'relists', resource, reason: reason as RelistReason, times } as const
      }),
    ),
    ...byName
      .filter(({ unchanged }) => unchanged > 0)
      .map(({ resource, unchanged, update, patch }) => {
        return { finding: 'unchanged-writes', resource, times: unchanged, of: update + patch } as const
      }),
    ...(rest?.requests ?? []).map(({ request, times }) => {
      return { finding: 'requests-at-rest', request, times, seconds: rest?.seconds ?? 0 } as const
    }),
    ...(game?.received ?? []).map(one => ({ finding: 'game-received', ...one }) as const),
    ...(game !== undefined && grownBytes > game.maxGrowthBytes
      ? [{ finding: 'game-memory', grownBytes, maxGrowthBytes: game.maxGrowthBytes } as const]
      : []),
    ...refusals
      .filter(({ status }) => status === 401 || status === 403)
      .map(({ verb, resource, times }) => ({ finding: 'forbidden', request: `${verb} ${resource}`, times }) as const),
  ]
}

/** The text of a finding for each reason of a repeated list. */
export const relistReasons: Readonly<Record<RelistReason, string>> = {
  '410': 'since the server no longer had the version that the watch was to begin at (410)',
  closed: 'after the server ended the watch',
  cut: 'after the connection broke',
  left: 'after the program ended its watch',
  open: 'while a watch of the same objects was open',
  unwatched: 'without a watch in between',
  refused: 'after the server refused the watch',
}

/** A finding in one line. */
export function findingText(one: Finding): string {
  switch (one.finding) {
    case 'no-requests':
      return 'No request passed: does the command read KUBECONFIG?'
    case 'whole-kind': {
      const scope = one.namespace === '' ? 'in the whole cluster' : `in ${one.namespace}`
      return `All ${one.resource} ${scope} are watched: of ${one.distinct} objects, ${one.used} are read or written by name.`
    }
    case 'relists':
      return `${one.resource} were listed again ${times(one.times)}, ${relistReasons[one.reason]}.`
    case 'unchanged-writes':
      return `${one.times} of ${one.of} writes of ${one.resource} changed nothing.`
    case 'requests-at-rest':
      return `At rest, ${one.request} was sent ${times(one.times)} in ${one.seconds} s.`
    case 'game-received':
      return `The program received ${one.objects} times an object of the game: ${one.resource}, ${bytesText(one.bytes)}.`
    case 'game-memory':
      return `Its memory grew by ${bytesText(one.grownBytes)} in the game: ${bytesText(one.maxGrowthBytes)} are allowed.`
    case 'forbidden':
      return `${one.request} was forbidden ${times(one.times)}.`
  }
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)
