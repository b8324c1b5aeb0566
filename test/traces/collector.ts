import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { join } from 'node:path'
import { buildGoProgram } from '../go-program.ts'

/** A span, as OTLP writes it in JSON: what a test looks at. */
export interface SentSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly attributes?: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
}

export interface Collector {
  /** Where programs send their traces: `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string
  /** Resolves with the first span that came through the collector and that `wanted` accepts. Rejects after a minute, with the names of those that came. */
  span(wanted: (span: SentSpan) => boolean): Promise<SentSpan>
  /** All spans that came through it. */
  readonly spans: readonly SentSpan[]
}

/** Calls `body` with a collector of OpenTelemetry, as a process of its own. It passes on all spans to this process, in JSON. */
export async function withCollector(body: (collector: Collector) => Promise<void>): Promise<void> {
  const program = await buildGoProgram(join(import.meta.dirname, 'collector'), 'collector', {
    options: ['-ldflags', '-s -w'],
  })
  const spans: SentSpan[] = []
  const waiting = new Set<() => void>()
  const sink = createServer((request, response) => {
    void read(request).then(text => {
      spans.push(...spansOf(text))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      for (const look of [...waiting]) look()
    })
  })
  sink.listen(0, '127.0.0.1')
  await once(sink, 'listening')
  const port = await freePort()
  const config = JSON.stringify({
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: {
      otlp_http: {
        endpoint: `http://127.0.0.1:${(sink.address() as AddressInfo).port}`,
        encoding: 'json',
        compression: 'none',
      },
    },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlp_http'] } },
    },
  })
  const child = spawn(program, ['--config', `yaml:${config}`], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  try {
    await isReady(child.stderr, ended)
    const span = (wanted: (span: SentSpan) => boolean): Promise<SentSpan> =>
      new Promise((resolve, reject) => {
        const late = (): void => reject(new Error(`only these came: ${spans.map(({ name }) => name).join(', ')}`))
        const timer = setTimeout(late, 60_000)
        const look = (): void => {
          const found = spans.find(wanted)
          if (found === undefined) return
          waiting.delete(look)
          clearTimeout(timer)
          resolve(found)
        }
        waiting.add(look)
        look()
      })
    await body({ endpoint: `http://127.0.0.1:${port}`, span, spans })
  } finally {
    child.kill()
    await ended
    const closed = once(sink, 'close')
    sink.close()
    sink.closeAllConnections()
    await closed
  }
}

/** Resolves when the collector says that it listens. Rejects with what it said if it ends before. */
function isReady(stderr: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<void> {
  let said = ''
  return new Promise((resolve, reject) => {
    stderr.on('data', (bytes: Buffer) => {
      said += bytes.toString()
      if (said.includes('Everything is ready')) resolve()
    })
    void ended.then(() => reject(new Error(`the collector ended:\n${said}`)))
  })
}

async function read(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const bytes of request) text += bytes
  return text
}

function spansOf(text: string): SentSpan[] {
  const { resourceSpans = [] } = JSON.parse(text) as {
    resourceSpans?: { scopeSpans?: { spans?: SentSpan[] }[] }[]
  }
  return resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(scope => scope.spans ?? []))
}

/** A port of this machine that was free a moment ago: the collector does not say which one it took. */
async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
