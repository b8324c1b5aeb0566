import { setTimeout as after } from 'node:timers/promises'
import type { Target } from '../target.ts'

/** What a server makes of an expression: why it takes no such rule, or what it evaluates to. */
export type Verdict = string

/** The schema of `self` in the expressions that are compared. Bounds keep the estimates of cost small. */
const properties = {
  i: { type: 'integer' },
  d: { type: 'number' },
  s: { type: 'string', maxLength: 20 },
  b: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte', maxLength: 20 },
  time: { type: 'string', format: 'date-time' },
  duration: { type: 'string', format: 'duration' },
  either: { 'x-kubernetes-int-or-string': true, maxLength: 10 },
  list: { type: 'array', maxItems: 5, items: { type: 'integer' } },
  set: { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 10 } },
  map: { type: 'object', maxProperties: 5, additionalProperties: { type: 'string', maxLength: 10 } },
  items: {
    type: 'array',
    maxItems: 5,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', maxLength: 10 }, n: { type: 'integer' } },
    },
  },
  object: { type: 'object', properties: { x: { type: 'integer' }, 'y-z': { type: 'string', maxLength: 10 } } },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  nothing: { type: 'string', maxLength: 10, nullable: true },
  'a.b': { type: 'string', maxLength: 10 },
  namespace: { type: 'string', maxLength: 10 },
  absent: { type: 'integer' },
}

/** What `self` is. */
const spec = {
  ...{ i: 7, d: 2.5, s: 'höllo', b: true, bytes: 'aGk=', time: '2024-02-29T12:34:56.789Z', duration: '1h30m' },
  ...{ either: '50%', list: [3, 1, 2], set: ['b', 'a'], map: { k: 'v', 'l.m': 'w' } },
  items: [
    { name: 'one', n: 1 },
    { name: 'two', n: 2 },
  ],
  ...{ object: { x: 1, 'y-z': 'q' }, free: { any: [1] }, nothing: null, 'a.b': 'dotted', namespace: 'ns' },
}

interface Cause {
  readonly field: string
  readonly message: string
}

/** Asks one server for its verdicts on expressions, each of any type. `name`: of a definition of its own. */
export async function verdictsOf(target: Target, name: string, expressions: readonly string[]): Promise<Verdict[]> {
  const verdicts: (Verdict | undefined)[] = expressions.map(() => undefined)
  const rules = expressions.map((expression, i) => ({
    rule: `[dyn(${expression})] == ['never']`,
    message: `#${i}# not equal`,
    // Says what the expression evaluates to.
    messageExpression: `'#${i}# %s'.format([dyn(${expression})])`,
  }))
  for (const { field, message } of await define(target, name, rules, true)) {
    const place = /x-kubernetes-validations\[(\d+)\]\.(rule|messageExpression)$/.exec(field)
    if (place === null) continue
    verdicts[Number(place[1])] ??= verdictOf(message)
  }
  const left = rules.filter((_, i) => verdicts[i] === undefined)
  await judge(target, name, left, (i, text) => {
    verdicts[i] = text
  })
  return verdicts.map(verdict => verdict ?? 'nothing was said')
}

/** The verdict in a message. A syntax error is compared without the words of the parser. */
function verdictOf(message: string): string {
  return message.includes(': Syntax error: ') ? 'no expression' : message.replaceAll(/selfType\d+/g, 'selfType')
}

/** A real server's own code fails: its counting of costs does not expect that a list could not be made. */
export const broken = 'fails inside'
const tooCostly = /exceeds budget/

/** Has rules that are taken evaluated. Where all together are estimated to cost too much, in parts. */
async function judge(
  target: Target,
  name: string,
  rules: readonly object[],
  say: (i: number, text: string) => void,
): Promise<void> {
  if (rules.length === 0) return
  const refused = await define(target, name, rules, false)
  if (refused.length > 0) {
    const all = refused.every(({ message }) => tooCostly.test(message))
    if (!all || rules.length === 1) throw new Error(`${target.name} refuses what it took: ${JSON.stringify(refused)}`)
    const half = Math.ceil(rules.length / 2)
    await judge(target, `${name}a`, rules.slice(0, half), say)
    return judge(target, `${name}b`, rules.slice(half), say)
  }
  for (const { field, message } of await evaluate(target, name)) {
    const i = Number(/#(\d+)#/.exec(message)?.[1])
    say(i, message.includes('internal error: interface conversion') ? broken : `${field}: ${message}`)
  }
  await target.ask('DELETE', `${definitions}/${name}.cel.example.com`, {})
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const json = { 'content-type': 'application/json' }

async function define(target: Target, name: string, rules: readonly object[], dryRun: boolean): Promise<Cause[]> {
  const inner = { type: 'object', properties, 'x-kubernetes-validations': rules }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: inner } } }
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}.cel.example.com` },
    spec: {
      group: 'cel.example.com',
      scope: 'Cluster',
      names: { plural: name, kind: `Kind${name}` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  const path = `${definitions}${dryRun ? '?dryRun=All' : ''}`
  const { status, text } = await target.ask('POST', path, json, JSON.stringify(body))
  if (status === 201) return []
  const causes = (JSON.parse(text) as { details?: { causes?: Cause[] } }).details?.causes
  if (status !== 422 || causes === undefined) throw new Error(`${target.name} answers ${status}: ${text}`)
  return causes
}

/** What the rules of the definition say of `self`, as soon as it is served. */
async function evaluate(target: Target, name: string): Promise<Cause[]> {
  const path = `/apis/cel.example.com/v1/${name}`
  const body = { apiVersion: 'cel.example.com/v1', kind: `Kind${name}`, metadata: { name: 'one' }, spec }
  for (let tries = 0; tries < 200; tries++) {
    const { status, text } = await target.ask('POST', `${path}?dryRun=All`, json, JSON.stringify(body))
    if (status === 422) return (JSON.parse(text) as { details: { causes: Cause[] } }).details.causes
    // A real server that replaces the storage of a definition as a request comes says that it shuts down.
    if (status !== 404 && status !== 429 && status !== 503) throw new Error(`${target.name} answers ${status}: ${text}`)
    await after(25)
  }
  throw new Error(`${target.name} does not serve ${name}`)
}
