import { execFileSync } from 'node:child_process'
import { request } from 'node:https'
import { setTimeout as after } from 'node:timers/promises'

/** How a test reaches a server, and as which user. */
export interface Access {
  readonly url: string
  readonly ca: string
  readonly token?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

export interface TestAnswer {
  readonly status: number
  /** The texts of the answer's `Warning` headers. */
  readonly warnings: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: a test expects a shape
  readonly body: any
}

/** Sends one request on a connection of its own. A body that is text is sent as it is, any other body as JSON. */
export function ask(
  access: Access,
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
  accept?: string,
): Promise<TestAnswer> {
  const { url, ca, token, cert, key } = access
  const headers: Record<string, string> = { 'content-type': type }
  if (accept !== undefined) headers.accept = accept
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  return new Promise((resolve, reject) => {
    const options = { method, headers, ca, agent: false as const, ...(cert && { cert }), ...(key && { key }) }
    const sent = request(new URL(path, url), options, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('error', reject)
      answer.on('end', () => {
        const json = answer.headers['content-type']?.includes('json') === true
        const warnings = warningsOf(answer.headers.warning)
        resolve({ status: answer.statusCode ?? 0, warnings, body: json ? JSON.parse(text) : text })
      })
    })
    sent.on('error', reject)
    sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
  })
}

/** The texts of a Warning header. */
export function warningsOf(header: string | readonly string[] | undefined): string[] {
  const text = typeof header === 'string' ? header : (header ?? []).join(', ')
  return [...text.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, quoted]) => quoted as string)
}

/** A process by its id and state letter, as `ps` prints them. */
export interface Listed {
  readonly pid: number
  readonly state: string
}

/** The running processes with `text` in their command line; zombies do not count. */
export function processesNaming(text: string): Listed[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines
    .filter(line => line.includes(text))
    .map(line => line.trim().split(/\s+/))
    .map(([pid, state]) => ({ pid: Number(pid), state: state?.charAt(0) ?? '' }))
    .filter(({ state }) => state !== 'Z')
}

/** Calls `look` until `holds` accepts its result, which it returns. Fails with the last result when the time is over. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  holds: (seen: T) => boolean,
  withinMs = 300_000,
): Promise<T> {
  const until = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (holds(seen)) return seen
    if (performance.now() > until) throw new Error(`not within ${withinMs} ms; last seen: ${JSON.stringify(seen)}`)
    await after(50)
  }
}
