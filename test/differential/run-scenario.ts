import { setTimeout as after } from 'node:timers/promises'
import type { CollectStep, Expected, RequestStep, Scenario, Step } from './scenario.ts'
import type { RawAnswer, RawWatch, SentHeaders, Target } from './target.ts'
import { watchCacheIsCurrent } from './watch-cache.ts'

/** What a server said at one step, parsed and not yet normalised. */
export interface Said {
  /** The step, for whoever reads a difference. */
  readonly step: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** Of a request: JSON, or text where it is none. */
  readonly body?: unknown
  /** Of a watch. */
  readonly events?: readonly unknown[]
  /** Of a watch: `open`, or how it ended. */
  readonly state?: string
}

/** What must be done to the server itself. */
export interface Controls {
  compact(): Promise<unknown>
  restart(): Promise<unknown>
}

const withinMs = 300_000
const everyMs = 20

/** Carries out a scenario against one server and returns what that said. */
export async function runScenario(
  { steps }: Pick<Scenario, 'steps'>,
  target: Target,
  controls: Controls,
  variables: Readonly<Record<string, string>>,
): Promise<Said[]> {
  const run = new Run(target, controls, variables)
  try {
    await run.namespace()
    for (const step of steps) await run.step(step)
    return run.said
  } finally {
    run.close()
  }
}

class Run {
  readonly said: Said[] = []
  readonly #target: Target
  readonly #controls: Controls
  readonly #variables: Record<string, string>
  readonly #watches = new Map<string, { readonly path: string; readonly watch: RawWatch }>()

  constructor(target: Target, controls: Controls, variables: Readonly<Record<string, string>>) {
    this.#target = target
    this.#controls = controls
    this.#variables = { ...variables }
  }

  async namespace(): Promise<void> {
    await this.#request({
      do: 'request',
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { metadata: { name: '{ns}' } },
      quiet: true,
    })
  }

  async step(step: Step): Promise<void> {
    switch (step.do) {
      case 'request':
        return this.#request(step)
      case 'wait':
        return this.#wait(this.#filled(step.path), this.#filledAll(step.headers), step.for)
      case 'watch': {
        const path = this.#filled(step.path)
        if (isCached(path)) await watchCacheIsCurrent(this.#target, path)
        const watch = await this.#target.watch(path, this.#filledAll(step.headers))
        this.#watches.set(step.id, { path: step.path, watch })
        return
      }
      case 'collect': {
        const { path, watch } = this.#watches.get(step.id) as { path: string; watch: RawWatch }
        const { until } = step
        await watch.until(one => one.state() !== 'open' || (until !== 'end' && hasSaid(one, until)), withinMs)
        this.said.push({
          step: `watch ${path}`,
          status: watch.status,
          headers: watch.headers,
          events: (until === 'end' ? watch.lines : withoutBookmarks(watch.lines)).map(parsed),
          state: String(watch.state()),
        })
        return
      }
      case 'second':
        return nextSecond()
      case 'control':
        await this.#controls[step.what]()
        if (step.what === 'restart') this.#target.reconnect()
    }
  }

  close(): void {
    for (const { watch } of this.#watches.values()) watch.close()
  }

  async #request(step: RequestStep): Promise<void> {
    const { method, path, body, headers, save, quiet, asText } = step
    const sent = body === undefined ? undefined : this.#filled(typeof body === 'string' ? body : JSON.stringify(body))
    if (method === 'GET' && isCached(this.#filled(path))) await watchCacheIsCurrent(this.#target, this.#filled(path))
    const answer = await this.#target.ask(method, this.#filled(path), this.#filledAll(headers), sent)
    const value = parsed(answer.text)
    if (quiet && answer.status >= 300) {
      throw new Error(`${this.#target.name}: ${method} ${this.#filled(path)}: ${answer.status} ${answer.text}`)
    }
    for (const [name, where] of Object.entries(save ?? {})) {
      const found = at(value, where.replace('?', ''))
      if (found === undefined && where.startsWith('?')) continue
      if (found === undefined) {
        throw new Error(`${this.#target.name}: no ${where} in the answer to ${method} ${path}: ${answer.text}`)
      }
      this.#variables[name] = String(found)
    }
    if (!quiet)
      this.said.push({
        step: `${method} ${path}`,
        status: answer.status,
        headers: answer.headers,
        body: asText ? answer.text : value,
      })
  }

  async #wait(path: string, headers: SentHeaders, expected: Expected): Promise<void> {
    const until = performance.now() + withinMs
    const { contains } = expected
    const filled = contains === undefined ? expected : { ...expected, contains: this.#filled(contains) }
    for (;;) {
      const answer = await this.#target.ask('GET', path, headers)
      if (holds(answer, filled)) return
      if (performance.now() > until) {
        throw new Error(
          `${this.#target.name}: ${path} is not ${JSON.stringify(expected)} within ${withinMs} ms: ${answer.status} ${answer.text}`,
        )
      }
      await after(everyMs)
    }
  }

  #filledAll(headers: SentHeaders = {}): SentHeaders {
    const filled = (value: string | string[]): string | string[] =>
      typeof value === 'string' ? this.#filled(value) : value.map(one => this.#filled(one))
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]))
  }

  #filled(text: string): string {
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => this.#variables[name] ?? whole)
  }
}

/** Resolves when the clock shows another second than now. */
async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000)
  while (Math.floor(Date.now() / 1000) === second) await after(everyMs)
}

/** Whether a real server answers this out of its watch cache, whatever that holds. */
function isCached(path: string): boolean {
  return /[?&](resourceVersion=|sendInitialEvents=true)/.test(path) && !path.includes('resourceVersionMatch=Exact')
}

/** The events of a watch without bookmarks, which a server sends whenever it likes. Keeps the bookmark that ends the initial events. */
function withoutBookmarks(lines: readonly string[]): string[] {
  return lines.filter(line => !line.startsWith('{"type":"BOOKMARK"') || line.includes('k8s.io/initial-events-end'))
}

function hasSaid({ lines }: RawWatch, until: Exclude<CollectStep['until'], 'end'>): boolean {
  if ('events' in until) return withoutBookmarks(lines).length >= until.events
  return lines.some(line => line.includes(`"name":"${until.name}"`))
}

function holds(answer: RawAnswer, { status, items, at: where, contains, lacks, condition }: Expected): boolean {
  if (status !== undefined && answer.status !== status) return false
  const body = parsed(answer.text)
  if (items !== undefined && (at(body, 'items') as unknown[] | undefined)?.length !== items) return false
  if (where !== undefined && at(body, where[0]) !== where[1]) return false
  if (contains !== undefined && !answer.text.includes(contains)) return false
  if (lacks !== undefined && answer.text.includes(lacks)) return false
  if (condition === undefined) return true
  const conditions = at(body, 'status.conditions')
  if (!Array.isArray(conditions)) return false
  return conditions.some(one => one.type === condition && one.status === 'True')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The value at a path of keys and indices joined by dots. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | null | undefined)?.[key], value)
}
