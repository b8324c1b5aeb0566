import type { FaultRule } from '@wherry/apiserver'
import { InvalidArgumentError } from 'commander'
import { durationOf } from '../duration.ts'

/** A fault of the command line: `429,at=5s,for=15s`. */
export interface PlannedFault {
  /** The text that the user wrote. */
  readonly text: string
  /** The start of the fault, in milliseconds after the start of the command. @default 0 */
  readonly atMs: number
  /** How long a rule is in force, in milliseconds. `undefined`: until the end. Other faults have no duration. */
  readonly forMs?: number | undefined
  /** The effect: a single event for the whole server, or a rule for requests. */
  readonly effect: 'reset' | 'restart' | { readonly expireWatches: string | undefined } | { readonly rule: FaultRule }
}

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
const matching = ['verb', 'resource', 'namespace']

/** The settings of each fault, by its name. `STATUS` stands for all codes except 410. */
const settings: Readonly<Record<string, readonly string[]>> = {
  reset: ['at'],
  restart: ['at'],
  '410': ['at', 'resource'],
  STATUS: ['at', 'for', 'times', 'retry', ...matching],
  latency: ['by', 'at', 'for', 'times', ...matching],
}

const known = 'the faults are reset, restart, 410, latency, and an HTTP status from 400 to 599, such as 429 or 500'

/** Reads a fault of the command line, and adds it to those before it. @throws InvalidArgumentError with the accepted values */
export function addFault(text: string, before: readonly PlannedFault[]): readonly PlannedFault[] {
  return [...before, faultOf(text)]
}

/** @throws InvalidArgumentError */
export function faultOf(text: string): PlannedFault {
  const [name = '', ...parts] = text.split(',')
  const kind = /^[45]\d\d$/.test(name) && name !== '410' ? 'STATUS' : name
  const taken = Object.hasOwn(settings, kind) && name !== 'STATUS' ? settings[kind] : undefined
  if (taken === undefined) throw new InvalidArgumentError(`${JSON.stringify(name)} is no fault: ${known}`)
  const given = new Map<string, string>()
  for (const part of parts) {
    const [key = '', value = ''] = part.split(/=(.*)/s)
    if (!taken.includes(key))
      throw new InvalidArgumentError(`${name} takes no ${JSON.stringify(key)}: it takes ${taken.join(', ')}`)
    if (value === '') throw new InvalidArgumentError(`${key} of ${name} has no value: write ${key}=VALUE`)
    if (given.has(key)) throw new InvalidArgumentError(`${name} has ${key} twice`)
    given.set(key, value)
  }
  const atMs = duration(name, 'at', given.get('at')) ?? 0
  if (kind !== 'STATUS' && kind !== 'latency') {
    // Such a fault needs a time, because before the command has begun there is nothing to break.
    if (!given.has('at')) throw new InvalidArgumentError(`${name} happens once: say when, as in ${name},at=5s`)
    return { text, atMs, effect: name === '410' ? { expireWatches: given.get('resource') } : (name as 'reset') }
  }
  const forMs = duration(name, 'for', given.get('for'))
  return { text, atMs, forMs, effect: { rule: ruleOf(name, given) } }
}

function ruleOf(name: string, given: ReadonlyMap<string, string>): FaultRule {
  const verb = given.get('verb')
  if (verb !== undefined && !verbs.includes(verb))
    throw new InvalidArgumentError(`${JSON.stringify(verb)} is no verb: verb takes ${verbs.join(', ')}`)
  const times = whole(name, 'times', given.get('times'))
  const rule = {
    match: Object.fromEntries([...given].filter(([key]) => matching.includes(key))),
    ...(times !== undefined && { times }),
  }
  if (name === 'latency') {
    const ms = duration(name, 'by', given.get('by'))
    if (ms === undefined) throw new InvalidArgumentError('latency needs a duration: latency,by=200ms')
    return { ...rule, effect: { kind: 'delay', ms } }
  }
  const retryAfterSeconds = whole(name, 'retry', given.get('retry'))
  const retry = retryAfterSeconds !== undefined && { retryAfterSeconds }
  return { ...rule, effect: { kind: 'status', code: Number(name), ...retry } }
}

function duration(name: string, key: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : durationOf(text, `${key} of ${name}`)
}

function whole(name: string, key: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError(`${key} of ${name} takes a whole number from 1 on, not ${JSON.stringify(text)}`)
}
